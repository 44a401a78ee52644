"""Primaries with a replica each that keep nothing on disk: what a run of six Valkey nodes is, as a chain.

A replica takes over when most primaries have missed its own; a primary that is back sooner is empty, and its replica
copies that. The page docs/three-readings.md has the line that measures it.
"""

from gridproof_model.language import Array, Bool, BoolExpr, IndexExpr, Specification, Step, array_of, count

specification = Specification(
    "pairs", "Primaries that crash and return empty.", source="Valkey specification, chapter 4"
)
pair_count = specification.constant("pair_count", 3, "Primaries, each with one replica.", least=1)
gives_back = specification.constant("gives_back", False, "Whether a replica gives its primary back what it has.")
pairs = specification.index("pair", pair_count, ordered=True)
primary_is_up = specification.variable("primary_is_up", Array(pairs, Bool()), "Whose primary runs.", initial=True)
replica_is_up = specification.variable("replica_is_up", Array(pairs, Bool()), "Whose replica runs.", initial=True)
is_copied = specification.variable("is_copied", Array(pairs, Bool()), "Whose replica has it all.", initial=True)
is_empty = specification.variable("is_empty", Array(pairs, Bool()), "Whose writes are gone.", initial=False)
is_over = specification.variable(
    "is_over", Bool(), "Whether the work is over, and all were started again.", initial=False
)


@specification.definition(pairs)
def is_gone(pair: IndexExpr) -> BoolExpr:
    """Nothing is left of a pair's writes once its primary is back."""
    return is_empty[pair] | ~is_copied[pair] | ~gives_back


@specification.action(pairs, source="Valkey specification, chapter 4")
def primary_crashes(pair: IndexExpr) -> Step:
    """A primary crashes; where nobody has a copy, everything is gone."""
    return Step(
        when=[~is_over, primary_is_up[pair]],
        then=[primary_is_up[pair].becomes(False), is_empty[pair].becomes(is_empty[pair] | ~is_copied[pair])],
    )


@specification.action(pairs, source="Valkey specification, chapter 4")
def primary_returns(pair: IndexExpr) -> Step:
    """It is back before anybody took over, empty; its replica copies that."""
    return Step(
        when=[~is_over, ~primary_is_up[pair]],
        then=[primary_is_up[pair].becomes(True), is_empty[pair].becomes(is_gone(pair))],
    )


@specification.action(pairs, source="Valkey specification, chapter 4")
def replica_takes_over(pair: IndexExpr) -> Step:
    """Most primaries have missed one whose replica has it all: the replica is primary, and who crashed its replica."""
    return Step(
        when=[
            ~is_over,
            ~primary_is_up[pair],
            is_copied[pair],
            2 * count(pairs, lambda one: primary_is_up[one]) > pair_count,
        ],
        then=[
            primary_is_up[pair].becomes(True),
            replica_is_up[pair].becomes(False),
            is_copied[pair].becomes(False),
        ],
    )


@specification.action(pairs, source="Valkey specification, chapter 4")
def replica_crashes(pair: IndexExpr) -> Step:
    """A replica crashes; where its primary is down, everything is gone."""
    return Step(
        when=[~is_over, replica_is_up[pair]],
        then=[
            replica_is_up[pair].becomes(False),
            is_copied[pair].becomes(False),
            is_empty[pair].becomes(is_empty[pair] | ~primary_is_up[pair]),
        ],
    )


@specification.action(pairs, source="Valkey specification, chapter 4")
def replica_returns(pair: IndexExpr) -> Step:
    """A replica is back, empty."""
    return Step(when=[~is_over, ~replica_is_up[pair]], then=[replica_is_up[pair].becomes(True)])


@specification.action(pairs, source="Valkey specification, chapter 4")
def replica_copies(pair: IndexExpr) -> Step:
    """A replica has copied what its primary has."""
    return Step(
        when=[~is_over, primary_is_up[pair], replica_is_up[pair], ~is_copied[pair]],
        then=[is_copied[pair].becomes(True)],
    )


@specification.action(source="the run")
def work_ends() -> Step:
    """All that are down are started again at once: a primary that nobody has replaced yet is empty."""
    return Step(
        when=[~is_over],
        then=[
            is_over.becomes(True),
            is_empty.becomes(array_of(pairs, lambda pair: is_empty[pair] | (~primary_is_up[pair] & is_gone(pair)))),
        ],
    )


@specification.sometimes(source="Valkey specification, chapter 4")
def a_list_is_lost() -> BoolExpr:
    """The writes of the first pair are gone."""
    return is_empty[pairs[0]]
