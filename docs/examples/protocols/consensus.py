"""A value is chosen, and no other. Source: Endive, benchmarks/Consensus.tla (Lamport)."""

from gridproof_model.language import BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, Consensus"

specification = Specification("consensus", "At most one value is chosen.", source=SOURCE)
values = specification.index("value", specification.constant("size", 3, "How many values there are.", least=1))
chosen = specification.variable("chosen", Set(values), "What is chosen.")


@specification.action(values, source=SOURCE)
def value_is_chosen(value: IndexExpr) -> Step:
    """A value is chosen where none was."""
    return Step(when=[for_all(values, lambda other: ~chosen[other])], then=[chosen[value].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def at_most_one_is_chosen() -> BoolExpr:
    """At most one value is chosen."""
    return count(values, lambda value: chosen[value]) <= 1
