"""Acceptors promise themselves to one proposer. Source: Endive, benchmarks/simple_election.tla."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, simple_election"

specification = Specification("simple_election", "A proposer with a majority of promises leads.", source=SOURCE)
size = specification.constant("size", 3, "How many acceptors there are.", least=1)
acceptors = specification.index("acceptor", size)
proposers = specification.index("proposer", specification.constant("proposer_count", 2, "How many proposers.", least=1))
started = specification.variable("started", Set(proposers), "Proposers that have asked.")
promised = specification.variable(
    "promised", Array(acceptors, Set(proposers)), "To whom each acceptor promised itself."
)
leader = specification.variable("leader", Set(proposers), "Proposers that lead.")


@specification.action(proposers, source=SOURCE)
def proposer_asks(proposer: IndexExpr) -> Step:
    """A proposer asks all acceptors."""
    return Step(when=[], then=[started[proposer].becomes(True)])


@specification.action(acceptors, proposers, source=SOURCE)
def acceptor_promises(acceptor: IndexExpr, proposer: IndexExpr) -> Step:
    """An acceptor that promised nothing promises itself to a proposer that asked."""
    return Step(
        when=[started[proposer], for_all(proposers, lambda other: ~promised[acceptor][other])],
        then=[promised[acceptor][proposer].becomes(True)],
    )


@specification.action(proposers, source=SOURCE)
def proposer_leads(proposer: IndexExpr) -> Step:
    """A proposer with the promises of a majority leads."""
    return Step(
        when=[count(acceptors, lambda acceptor: promised[acceptor][proposer]) * 2 > size],
        then=[leader[proposer].becomes(True)],
    )


@specification.always(source=SOURCE)
def one_leads() -> BoolExpr:
    """No two proposers lead."""
    return for_all(
        proposers, lambda one: for_all(proposers, lambda other: (leader[one] & leader[other]).implies(one == other))
    )
