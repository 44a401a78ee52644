"""What others see of Paxos: the views by which it refines voting, and consensus."""

from paxos import (
    a_vote_is_for_what_is_proposed,
    decided,
    is_silent_below,
    is_silent_between,
    joined,
    nodes,
    proposal,
    rounds,
    size,
    specification,
    vote,
)

from gridproof_model.language import BoolExpr, IndexExpr, count, exists, for_all
from gridproof_properties.proofs.argument import Argument

VOTING = {"joined": joined, "vote": vote}
"""Proposals and decisions are left out: a vote alone has to be safe."""
CONSENSUS = {"chosen": decided}

argument = Argument(specification, proved_in=({}, {"round_count": 3}), explored_in=())
"""What every proposal has to be, so that each vote for it is one that voting allows."""
argument.lemmas.append(a_vote_is_for_what_is_proposed)


@argument.lemma
def what_is_proposed_is_safe() -> BoolExpr:
    """Of a majority that has gone on nobody voted below, or nobody above a lower round in which one has this vote."""

    def has_gone_on(node: IndexExpr, number: IndexExpr) -> BoolExpr:
        return exists(rounds, lambda other: joined[node][other] & (number <= other))

    def is_free(number: IndexExpr) -> BoolExpr:
        return count(nodes, lambda node: has_gone_on(node, number) & is_silent_below(node, number)) * 2 > size

    def is_bound(number: IndexExpr, latest: IndexExpr) -> BoolExpr:
        silent = count(nodes, lambda node: has_gone_on(node, number) & is_silent_between(node, latest, number)) * 2
        voted = exists(nodes, lambda node: has_gone_on(node, number) & (vote[node][latest] == proposal[number]))
        return (latest < number) & (silent > size) & voted

    return for_all(
        rounds,
        lambda number: proposal[number].is_some.implies(
            is_free(number) | exists(rounds, lambda latest: is_bound(number, latest))
        ),
    )
