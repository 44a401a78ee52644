"""What members of a run know of each other, as a state of `tables` begins with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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
from gridproof_properties.refinement.known import Known
from gridproof_properties.refinement.tables.observations import always, asks, names_followers
from gridproof_properties.validation.engine import Observation

OfClaims = ClaimBegun | ClaimGranted | MastershipClaimed | FetchBegun
OfSuspicion = MemberSuspected | SuspicionCleared
OfMastership = OfTrust | FetchBegun
OfOutcomes = MigrationEnded | MigrationForgotten | TablePublished | TableReceived
STAMPS_MAX = 1_000
"""So many tables are remembered with what they say of migrations; what is received later than that teaches nothing."""


@dataclass(slots=True)
class KnownOfTables(Known):
    """What every member knows, and of its master and of migrations; mutable."""

    trust: Trust = field(default_factory=Trust)
    fetching: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """New masters, and whom they have asked for rows."""
    outcomes: dict[int, dict[int, None]] = field(default_factory=dict)
    """By master: the numbers of the migrations whose ends its next table names."""
    published: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """By sender and stamp: the same of a table."""
    heard: dict[int, set[int]] = field(default_factory=dict)
    """By member: of which migrations of the master it follows it has heard the ends, with tables."""

    def state(self, start: State) -> State:
        """Return a state in which nobody has a row yet."""
        everybody = range(len(start["version"]))
        none: tuple[int, ...] = ()

        def sets(of: dict[int, set[int]]) -> tuple[tuple[bool, ...], ...]:
            return tuple(tuple(other in of.get(member, ()) for other in everybody) for member in everybody)

        def place(member: int, other: int) -> int | None:
            listed = self.lists.get(member, none)
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

    def trusts(self, member: int, event: OfMastership) -> None:
        """Take in whom a member lists, suspects and follows, and whom it asks for rows."""
        if isinstance(event, FetchBegun):
            self.fetching[member] = event.asked
            return
        if isinstance(event, MemberListInstalled):
            self.learned(member, event)
        self.trust.learn(member, event)

    def hear(self, member: int, event: OfOutcomes) -> None:
        """Take in which ends of migrations go out with tables, and who receives them."""
        match event:
            case MigrationEnded(master=master, number=number):
                self.outcomes.setdefault(master, {})[number] = None
            case MigrationForgotten(master=master, number=number):
                if member == master:
                    self.outcomes.get(master, {}).pop(number, None)
            case TablePublished(stamp=stamp):
                if len(self.published) == STAMPS_MAX:
                    del self.published[next(iter(self.published))]
                self.published[member, stamp] = tuple(self.outcomes.get(member, ()))
            case TableReceived(sender=sender, stamp=stamp):
                if sender == self.trust.follows.get(member):
                    self.heard.setdefault(member, set()).update(self.published.get((sender, stamp), ()))


def claimed(text: str, member: int, event: OfClaims) -> Observation:
    """Return what an event of a claim, or of the fetch after it, is."""
    match event:
        case ClaimBegun():
            return always(text, "claim_begins", member)
        case ClaimGranted(candidate=candidate):
            return always(text, "claim_is_granted", member, candidate)
        case MastershipClaimed(members=members):
            return always(text, "claim_ends", member, agrees=names_followers(member, members))
        case FetchBegun(asked=asked):
            return always(text, "fetch_begins", member, agrees=asks(member, asked))


def suspected(text: str, member: int, event: OfSuspicion, state: State) -> Iterator[Observation]:
    """Yield what an event of suspicion is; nothing where it is no news."""
    other, is_marked = event.member, state["suspects"][member][event.member]
    match event:
        case MemberSuspected():
            if not is_marked and state["rank"][member][other] is not None:
                yield always(text, "member_is_suspected", member, other)
        case SuspicionCleared():
            if is_marked:
                yield always(text, "suspicion_is_cleared", member, other)


def list_learned(text: str, member: int, members: Sequence[int], state: State) -> Iterator[Observation]:
    """Yield what a member's new list holds, a member each; and whom it follows."""
    places = {place: other for other, place in enumerate(state["rank"][member]) if place is not None}
    listed = [places[place] for place in sorted(places)]
    kept = [other for other in listed if other in members]
    if tuple(members[: len(kept)]) != tuple(kept):
        kept = []
    for other in listed:
        if other not in kept:
            yield always(text, "member_is_struck_off", member, other)
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
