"""Backups that ask for whole fragments, and primaries that answer."""

from collections.abc import Sequence

from gridproof_implementation.protocol.anti_entropy.messages import SyncAnswer, SyncRequest
from gridproof_implementation.protocol.anti_entropy.part import AntiEntropyPart
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.version_vector import Versions
from gridproof_model.events.anti_entropy import SyncEnded
from tests.implementation.protocol.grids import OneOfMany, events_in, member_at, sent
from tests.implementation.protocol.replicas import (
    NAMESPACE,
    P,
    one_in_row,
    put,
)


def ask(one: OneOfMany, *namespaces: str) -> list[Effect]:
    """Give a backup a reason to ask for namespaces, and return what it does."""
    one.member.node.anti_entropy.trigger_sync(P, namespaces or (NAMESPACE,))
    effects, one.member.node.effects = one.member.node.effects, []
    return effects


def asked(effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    """Return which namespaces were asked for."""
    return [message.namespaces for _, message in sent(effects, SyncRequest)]


def ended(effects: Sequence[Effect]) -> list[str]:
    """Return why syncs ended with nothing installed."""
    return [event.why for event in events_in(effects, SyncEnded)]


def free_permits(one: OneOfMany) -> int:
    """Return how many syncs may begin."""
    anti_entropy = one.member.node.anti_entropy
    assert isinstance(anti_entropy, AntiEntropyPart)
    return anti_entropy.syncs.free_permits


def answer_of(primary: OneOfMany, index: int = 1) -> SyncAnswer:
    """Return what a primary answers."""
    effects = primary.hand_over(1, SyncRequest(index, (NAMESPACE,), partition=P))
    return sent(effects, SyncAnswer)[0][1]


def empty_answer(versions: Versions, index: int = 1, place: int = 1) -> SyncAnswer:
    """Return an answer of a primary that holds nothing, to the member at a place."""
    return SyncAnswer(index, FragmentData(NAMESPACE, versions, {}), partition=P, asker=member_at(place).id)


def primary() -> OneOfMany:
    """Return a primary that has executed two puts."""
    one = one_in_row(0)
    put(one, "k", "v")
    put(one, "l", "w")
    return one
