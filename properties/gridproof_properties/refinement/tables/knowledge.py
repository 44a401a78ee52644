"""What members of a run know of each other, as a state of `tables` begins with it."""

from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.migration import MigrationEnded, MigrationForgotten
from gridproof_model.events.partitioning import FetchBegun, RowsFetched, TablePublished, TableReceived
from gridproof_model.language import Plain, State
from gridproof_properties.judging.trust import OfTrust, Trust
from gridproof_properties.refinement.known import Members
from gridproof_properties.refinement.observing import always
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.tables.observations import asks, names_followers
from gridproof_properties.validation.engine import Observation, Text

OfMastership = OfTrust | FetchBegun
OfOutcomes = MigrationEnded | MigrationForgotten | TablePublished | TableReceived
STAMPS_MAX = 1_000
"""So many tables are remembered with what they say of migrations; what is received later than that teaches nothing."""


class KnownOfTables(Members):
    """What every member knows, and of its master and of migrations; mutable."""

    LEARNED_FROM = kinds_of(OfMastership | OfOutcomes | RowsFetched)

    def __init__(self) -> None:
        super().__init__()
        self.trust = Trust()
        self.fetching: dict[int, tuple[int, ...]] = {}
        """New masters, and whom they have asked for rows."""
        self.left: tuple[int, Collection[int]] | None = None
        """Where somebody follows another by the latest event: the master before, and what was heard from it."""
        self._outcomes: dict[int, dict[int, None]] = {}
        """By master: the numbers of the migrations whose ends its next table names."""
        self._published: dict[tuple[int, int], tuple[int, ...]] = {}
        """By sender and stamp: the same of a table."""
        self._heard: dict[int, set[int]] = {}
        """By member: of which migrations of the master it follows it has heard the ends, with tables."""

    def state(self, start: State) -> State:
        """Return a state in which nobody has a row yet."""
        everybody = range(len(start["version"]))
        none: tuple[int, ...] = ()

        def sets(of: dict[int, set[int]]) -> tuple[tuple[bool, ...], ...]:
            return tuple(tuple(other in of.get(member, ()) for other in everybody) for member in everybody)

        def place(member: int, other: int) -> int | None:
            listed = self.trust.lists.get(member, none)
            return listed.index(other) if other in listed else None

        def asked_at(member: int, other: int) -> int | None:
            return 0 if other in self.fetching.get(member, none) and place(member, other) is not None else None

        changes: dict[str, Plain] = {
            "rank": tuple(tuple(place(member, other) for other in everybody) for member in everybody),
            "follows": tuple(self.trust.follows.get(member) for member in everybody),
            "suspects": sets(self.trust.suspects),
            "claiming": tuple(member in self.trust.claiming for member in everybody),
            "has_claimed": tuple(member in self.trust.has_claimed for member in everybody),
            "granted": sets(self.trust.granted),
            "fetching": tuple(member in self.fetching for member in everybody),
            "asked_at": tuple(tuple(asked_at(member, other) for other in everybody) for member in everybody),
            "ended": tuple(member in self.ended for member in everybody),
        }
        return start.replaced(changes)

    def take(self, step: Step, event: Event) -> None:
        """Take in whom a member trusts or asks for rows, and which ends of migrations go out and come with tables."""
        member = step.member
        self.left = None
        match event:
            case FetchBegun(asked=asked):
                self.fetching[member] = asked
            case RowsFetched():
                self.fetching.pop(member, None)
            case MigrationEnded(master=master, number=number):
                self._outcomes.setdefault(master, {})[number] = None
            case MigrationForgotten(master=master, number=number):
                if member == master:
                    self._outcomes.get(master, {}).pop(number, None)
            case TablePublished(stamp=stamp):
                if len(self._published) == STAMPS_MAX:
                    del self._published[next(iter(self._published))]
                self._published[member, stamp] = tuple(self._outcomes.get(member, ()))
            case TableReceived(sender=sender, stamp=stamp):
                if sender == self.trust.follows.get(member):
                    self._heard.setdefault(member, set()).update(self._published.get((sender, stamp), ()))
            case _:
                if isinstance(event, OfTrust):
                    self._learn(member, event)

    def _learn(self, member: int, event: OfTrust) -> None:
        master = self.trust.follows.get(member)
        self.trust.learn(member, event)
        if master is not None and self.trust.follows[member] != master and (heard := self._heard.pop(member, None)):
            self.left = master, heard


def trusted(text: Text, member: int, event: OfMastership, state: State) -> Iterator[Observation]:
    """Yield what an event of lists, suspicion or claims is; nothing where it is no news."""
    match event:
        case MemberListInstalled(members=members):
            yield from list_learned(text, member, members, state)
        case MemberSuspected(member=other):
            if not state["suspects"][member][other] and state["rank"][member][other] is not None:
                yield always(text, "member_is_suspected", member, other)
        case SuspicionCleared(member=other):
            if state["suspects"][member][other]:
                yield always(text, "suspicion_is_cleared", member, other)
        case ClaimBegun():
            yield always(text, "claim_begins", member)
        case ClaimGranted(candidate=candidate):
            yield always(text, "claim_is_granted", member, candidate)
        case MastershipClaimed(members=members):
            yield always(text, "claim_ends", member, agrees=names_followers(member, members))
        case FetchBegun(asked=asked):
            yield always(text, "fetch_begins", member, agrees=asks(member, asked))
        case _:
            assert_never(event)


def list_learned(text: Text, member: int, members: Sequence[int], state: State) -> Iterator[Observation]:
    """Yield what a member's new list holds, a member each; and whom it follows."""
    places = {place: other for other, place in enumerate(state["rank"][member]) if place is not None}
    listed = [places[place] for place in sorted(places)]
    kept = [other for other in listed if other in members]
    if tuple(members[: len(kept)]) != tuple(kept):
        kept = []
    for other in listed:
        if other not in kept:
            yield always(text, "member_is_removed", member, other)
    for other in members[len(kept) :]:
        yield always(text, "member_is_listed", member, other)
    marked = state["suspects"][member]
    for other in listed:
        if marked[other] and other in members and other not in kept:
            yield always(text, "member_is_suspected", member, other)
    if state["follows"][member] != members[0]:
        yield always(text, "master_is_followed", member, members[0])


def fetched_migrations(event: RowsFetched) -> frozenset[int]:
    """Return the numbers of the migrations that a new master has settled."""
    return frozenset((*event.succeeded, *event.failed))
