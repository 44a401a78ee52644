"""The records of members about partition tables, validated by the specification `ownership`.

A behaviour is about one partition: it has each member's row, and the members that each member lists, suspects and
follows. A behaviour begins with the first row that any member has, and with what every member knows at that time; it
lasts until the end of the run. The judge infers which table brought a row, to which migration a row belongs, and the
ends of which migrations a member has learned; a row counts as under way as soon as some member has it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, assert_never

from gridproof_model.events import kinds_of, membership, migration, partitioning
from gridproof_model.events.words import MigrationOutcome, WhyRowChanged
from gridproof_model.groups import uncut
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.membership import ClusterState
from gridproof_model.partition_table import MAX_BACKUP_COUNT, MAX_REPLICA_COUNT
from gridproof_model.specifications.ownership.state import Outcome, Role, specification
from gridproof_model.trace import Slots
from gridproof_properties.judging.trust import OfTrust, Trust
from gridproof_properties.judging.verdict import Recorded
from gridproof_properties.judging.words import row_words
from gridproof_properties.refinement.known import fitted, of_living_or_ended, row_changed
from gridproof_properties.refinement.read import (
    OfAllPartitions,
    OfMember,
    OfMigrating,
    OfNoPartition,
    OfOwnership,
    OfPartition,
)
from gridproof_properties.validation.engine import Agrees, GivenUpError, Observation, RefusedError, always, says
from gridproof_properties.validation.judge import Behaviour, SpecificationJudge, Worlds

OfEdits = partitioning.RowInstalled | partitioning.PromotionOrdered | migration.MigrationOrdered
EDITS, NOWHERE, EVERYWHERE = map(kinds_of, (OfEdits, OfNoPartition, OfAllPartitions))
Row = tuple[Slots, int]
"""The slots and the version of a row."""
Named = tuple[int, int]
"""A migration as events name it: by its master, and the number that the master gave it."""
MIGRATIONS_MAX = 128
AT_ONCE = ("every data member leaves", *(f"the cluster is {state}" for state in ClusterState))
"""The reasons for which a leaver may go at once, whatever replicas it has."""
STAMPS_MAX = 1_000
"""For how many of the newest sent tables the judge remembers which ends of migrations each table names."""


class BehaviourOfOwnership(Behaviour):
    """The behaviour of one partition's rows; mutable."""

    WORLDS = Worlds(
        specification,
        ("versions", "changes", "edits", "orders", "losses", "endings", "leaves", "doubts", "failures"),
        # If a member has sent more tables than are kept, its oldest tables are forgotten.
        {"backups": MAX_BACKUP_COUNT, "tables_sent": 40, "migrations": 8},
        any_way=True,
        freezes=True,
    )

    def __init__(self, known: "OwnershipJudge", runner: Runner, start: State) -> None:
        self._known = known
        self.pending: defaultdict[int, list[Row]] = defaultdict(list)
        """For each member, rows from the table that it is processing, or rows that it is fetching."""
        self.finished: defaultdict[int, list[tuple[Recorded, migration.MigrationFinished]]] = defaultdict(list)
        """For each member: the ends of migrations that its latest table names; the table's row is processed before
        them."""
        self._places: dict[Named, int] = {}
        """The number of each migration in the specification's plan."""
        # No event records that a member learns of ended migrations: this step is tried if no other explains an event.
        super().__init__(runner, start, ("outcome_is_learned",))

    def take(self, member: int, event: OfPartition | OfAllPartitions) -> None:
        """Continue the behaviour with an event of a member."""
        # A master edits rows only after it has the newest rows, or need not fetch them; it may always put members back.
        is_edit = type(event) in EDITS and getattr(event, "why", None) is not WhyRowChanged.RETURNED
        if is_edit and member in self._known.spared and self.state["must_fetch"][member]:
            self.take_all(always("nothing_is_fetched", member))
        match event:
            case partitioning.RowInstalled(slots=slots, version=version, why=why):
                row = fitted(slots, MAX_REPLICA_COUNT), version
                if why in (WhyRowChanged.RECEIVED, WhyRowChanged.FETCHED):
                    self.pending[member].append(row)
                    return
                self.take_all(*of_row(why, member, row[0], self.state))
                self._send("table_is_sent", member, _has_row(member, row))
            case partitioning.TableReceived(sender=sender):
                for row in self.pending.pop(member, ()):
                    came = partial(_tables_of, member, sender, row)
                    took = f"member {member} took the row {row_words(row[0])} at version {row[1]} from a table that it"
                    whom = "itself" if sender == member else f"member {sender}"
                    unsent = f"{took} says it received from {whom}, but member {sender} has sent no table with this row"
                    self.take_all(Observation(came, _has_row(member, row), unsent))
                    self._send("table_is_sent", member, _has_row(member, row))
                self._finish(member)
            case partitioning.RowsFetched():
                self._rows_fetched(member, event)
            case partitioning.PromotionOrdered(destination=destination, from_index=index):
                asked = "destination", destination, lambda state: state["promotion"][member]
                first = "index", index, lambda state: _present(state["row"][member])[0]
                self._send("master_orders_promotion", member, says(asked, first))
            case partitioning.Promoted():
                self.take_all(always("primary_begins", member))
            case partitioning.PromotionEnded(outcome=outcome):
                if outcome is MigrationOutcome.SUCCESS:
                    self.take_all(always("promotion_ends", member))
            case migration.MigrationOrdered():
                self._migration_ordered(event)
            case migration.MigrationFinished() if self.pending.get(member) and not self.state["fetching"][member]:
                self.finished[member].append((self._known.record, event))
            case migration.MigrationStep():
                self._take_migration(member, event)
            case _:
                # Unrecorded steps with the old master cannot be tried after a change of master: they are taken now.
                for named, place in self._places.items() if self._known.heard_before else ():
                    if named in self._known.heard_before and self.state["outcomes"][member][place] is Outcome.UNKNOWN:
                        self.take_all(always("outcome_is_learned", member, place))
                self.take_all(*of_member(member, event, self.state))

    def joined(self, member: int) -> None:
        """Record that a member starts, in a group."""
        super().joined(member)
        groups = {one: uncut(group) or one for one, group in self._known.groups.items()}
        first = [*groups.values()].index(groups[member])
        role = Role.LITE if member in self._known.lite else Role.DATA
        self.take_all(always("member_starts", member, [*groups][first], role))

    def ended(self, member: int) -> None:
        """Record that a member ended, with the master's permission or without it."""
        self.take_all(always("member_goes" if self.state["let_go"][member] else "member_ends", member))

    def _finish(self, member: int) -> None:
        """Process the ends of migrations that a member has learned, now that it has the row."""
        for record, event in self.finished.pop(member, ()):
            self.validation.recorded = record
            self._take_migration(member, event)

    def _take_migration(self, member: int, event: OfMigrating) -> None:
        """Process a step of a migration, perhaps of a migration that was never ordered."""
        place = self._places.get((event.master, event.number))
        ended = [event.outcome] if isinstance(event, migration.MigrationEnded | migration.MigrationFinished) else []
        agrees = says(*(("outcome", Outcome(one), lambda state: state["outcomes"][member][place]) for one in ended))
        actions = [] if place is None else [Event(action, (member, place)) for action in MIGRATION[type(event)]]
        missing = f"member {event.master} has ordered no migration {event.number}"
        self.take_all(Observation(actions, agrees, missing))

    def _rows_fetched(self, member: int, event: partitioning.RowsFetched) -> None:
        """Record that a new master has the newest row, and an outcome of every migration that it knows."""
        for (_, number), place in self._places.items():
            # The event has only the number that the ordering master chose; another master may have used this number.
            settles = Event("migration_is_settled", (member, place))
            is_named = number in (*event.succeeded, *event.failed)
            if is_named and self.validation.runner.after(self.state, settles) is not None:
                self.take_all(always("migration_is_settled", member, place))
        self._finish(member)
        pending = self.pending.pop(member, ())
        row = pending[-1] if pending else (self.state["row"][member], self.state["version"][member])
        fetched = Observation(partial(_newest, member, row), missing="no member that was asked has such a row")
        # If only the version differs, the master may have raised it in its own table: then no member has sent this row.
        if row[0] != self.state["row"][member] or any(True for _ in fetched.events(self.state)):
            self.take_all(fetched)
        if self.state["version"][member] < row[1]:
            self.take_all(_of_any_migration(member, "fetched_row_is_lifted", agrees=_has_row(member, row)))
        self.take_all(always("fetch_ends", member, agrees=_has_row(member, row)))
        if pending:
            self._send("table_is_sent", member, _has_row(member, row))

    def _migration_ordered(self, event: migration.MigrationOrdered) -> None:
        place = len(self._places)
        if place == MIGRATIONS_MAX:
            many = f"partition {event.partition} has more than {MIGRATIONS_MAX} migrations, too many to validate"
            raise GivenUpError(f"{many}; validate a shorter run")
        if place == self.size["migrations"]:
            self.widen(migrations=2 * place)
        self._places[event.master, event.number] = place
        agrees = says(
            ("primary", event.primary, lambda state: state["plan"][place].primary),
            ("initial version", event.initial_version, lambda state: state["plan"][place].initial),
            ("slot left", event.left_slot, lambda state: state["plan"][place].left_slot),
        )
        action = "master_orders_migration" if event.lower_slot is None else "master_orders_shift_down"
        slots = (slot for slot in (event.slot, event.lower_slot) if slot is not None)
        self.take_all(always(action, event.master, event.destination, *slots, agrees=agrees))

    def _send(self, action: str, member: int, agrees: Agrees) -> None:
        """Record that a row is sent; if there is no room for another sent row, the sender's oldest one is forgotten."""
        self.take_all(always(action, member, agrees=agrees))
        if len(self.state["sent"][member]) == self.size["tables_sent"]:
            self.passed_over = "more tables are under way than are kept"
            self.take_all(always("oldest_table_is_lost", member))


class OwnershipJudge(SpecificationJudge[int, BehaviourOfOwnership]):
    """Gives each record to the partitions that it concerns, and keeps migrations and the master of each member."""

    SPECIFICATION = specification
    WATCHED = kinds_of(OfOwnership)
    LEARNED_FROM = kinds_of(OfAllPartitions | OfNoPartition | migration.MigrationEnded)
    CALLED = "partition {}"

    def __init__(self) -> None:
        super().__init__()
        self.heard_before: Collection[Named] = ()
        """If the latest event changes a member's master: the migrations whose ends this member learned from its former
        master."""
        self._trust = Trust()
        self._frozen: set[int] = set()
        """The members for which the cluster state forbids changes to rows."""
        self.spared: set[int] = set()
        """The members that became master while the cluster state forbade changes to rows, and need not fetch rows."""
        self._ended: defaultdict[int, set[Named]] = defaultdict(set)
        """For each master, the migrations whose ends its next table will name."""
        self._published: dict[tuple[int, int], Collection[Named]] = {}
        """For each sender and stamp of a table, the migrations whose ends the table names."""
        self._heard: defaultdict[int, set[Named]] = defaultdict(set)
        """For each member, the migrations whose ends it has learned from tables of the master that it follows."""

    @cached_property
    def _rowless(self) -> BehaviourOfOwnership:
        """A partition without rows: it processes events about all partitions; other behaviours begin in its state."""
        runner = BehaviourOfOwnership.WORLDS.runner()
        start = runner.start
        nobody: tuple[Plain, ...] = (None,) * len(start["follows"])
        absent = {"role": (Role.ABSENT,) * len(nobody), "group": tuple(range(len(nobody)))}
        unlisted = {"rank": (nobody,) * len(nobody), "follows": nobody}
        return BehaviourOfOwnership(self, runner, start.replaced(absent | unlisted))

    def let(self, places: Iterable[int], go_on: Callable[[BehaviourOfOwnership], None]) -> None:
        """Continue some behaviours; for an event about all partitions, also the behaviour of the partition without
        rows."""
        super().let(places, go_on)
        if places is self.behaviours:
            with suppress(RefusedError, GivenUpError):  # only partitions with a row are judged
                self._rowless.WORLDS.runner(members=self.count)
                go_on(self._rowless)

    def learn(self, member: int, event: OfAllPartitions | OfNoPartition | migration.MigrationEnded) -> None:
        """Record which members a member trusts or asks for rows, and the ends of which migrations its tables name."""
        master = self._trust.follows.get(member)
        self.heard_before = ()
        match event:
            case membership.ClusterStateChanged(state=state):
                (self._frozen.discard if state.allows_promotion else self._frozen.add)(member)
            case migration.MigrationEnded():
                self._ended[event.master].add((event.master, event.number))
            case migration.MigrationForgotten():
                self._ended[member].discard((event.master, event.number))
            case partitioning.TablePublished(stamp=stamp):
                if len(self._published) == STAMPS_MAX:
                    del self._published[next(iter(self._published))]
                self._published[member, stamp] = frozenset(self._ended[member])
            case partitioning.TableReceived(sender=sender, stamp=stamp) if sender == master:
                self._heard[member].update(self._published.get((sender, stamp), ()))
            case _:
                if isinstance(event, membership.MastershipClaimed):
                    (self.spared.add if member in self._frozen else self.spared.discard)(member)
                if isinstance(event, membership.MemberListInstalled) and member not in self._trust.lists:
                    self._frozen.update({member} if event.members[0] in self._frozen else ())  # a joiner takes it over
                if isinstance(event, OfTrust):
                    self._trust.learn(member, event)
                if master not in (None, self._trust.follows.get(member)):
                    self.heard_before = self._heard.pop(member, ())

    def concerned(self, member: int, event: Any) -> Iterable[int]:
        """Return the partition that an event concerns; all partitions if it concerns a member's table or its master."""
        kind = type(event)
        if kind in NOWHERE:
            return ()
        if kind is partitioning.RowInstalled and event.partition not in self.behaviours:
            worlds, start = self._rowless.WORLDS, self._rowless.state
            self.begin(event.partition, lambda: BehaviourOfOwnership(self, worlds.runner(members=self.count), start))
        if kind is partitioning.TableReceived:
            behaviours = self.behaviours.items()
            return [place for place, one in behaviours if member in one.pending or member in one.finished]
        return self.behaviours if kind in EVERYWHERE else (event.partition,)


def of_row(why: WhyRowChanged, member: int, after: Slots, state: State) -> Iterator[Observation]:
    """Yield the observations of a new row, in order, by the reason for which the row changed."""
    before, under_way = state["row"][member], state["underway"][member]
    match why:
        case WhyRowChanged.ARRANGED | WhyRowChanged.PLANNED | WhyRowChanged.ASSIGNED:
            yield from row_changed(member, before, after, "master_clears_slot", "master_fills_slot")
        case WhyRowChanged.RETURNED:
            for slot, holder in enumerate(after):
                if holder is not None and holder != before[slot]:
                    yield always("master_puts_back", member, slot, holder)
        case WhyRowChanged.REPAIRED:
            yield always("master_empties_slots", member)
        case WhyRowChanged.PROMOTED:
            yield always("master_records_promotion", member)
        case WhyRowChanged.COMMITTED:
            yield _of_any_migration(member, "destination_commits", "master_commits")
        case WhyRowChanged.FAILED if under_way is not None and state["outcomes"][member][under_way] is Outcome.FAILED:
            pass  # The master has fetched rows since it ordered the migration, and settled and lifted it then.
        case WhyRowChanged.FAILED:
            fails = _of_any_migration(member, "migration_fails")
            yield replace(fails, actions=lambda state: (*fails.events(state), Event("promotion_fails", (member,))))
        case WhyRowChanged.COMPLETED:
            yield _of_any_migration(member, "completed_migration_is_applied")
        case WhyRowChanged.RECEIVED | WhyRowChanged.FETCHED:
            pass  # This becomes a step once the member has taken in the table that it came with.
        case _:
            assert_never(why)


MIGRATION: Mapping[type[OfMigrating], tuple[str, ...]] = {
    migration.MigrationOpened: ("primary_opens_migration",),
    migration.MigrationReadied: ("destination_gets_ready",),
    migration.MigrationCopied: ("primary_copies_data",),
    migration.CommitOrdered: ("master_sends_commit",),
    migration.MigrationEnded: ("migration_ends",),
    migration.MigrationFinished: ("participant_finishes", "migration_is_settled"),
}
"""For each recorded step of a migration, the actions of the specification that it may stand for."""


def of_member(member: int, event: OfMember, state: State) -> Iterator[Observation]:
    """Yield, in order, the actions of an event on lists, suspicions, claims, fetches or leavers that change the
    state."""
    match event:
        case membership.LiteMemberPromoted(member=other):
            if state["role"][other] is Role.LITE:
                yield always("lite_member_is_promoted", member, other)
        case partitioning.ShutdownRequested():
            if not state["leaving"][member]:
                yield always("member_asks_to_leave", member)
        case partitioning.ShutdownAnswered(leaver=leaver, why=why):
            if why not in AT_ONCE:
                yield always("leave_is_answered", member, leaver)
        case membership.MemberListInstalled(members=members):
            yield from _list_learned(member, members, state)
        case membership.MemberSuspected(member=other):
            if other in _present(state["rank"][member]) and other not in _present(state["suspects"][member]):
                yield of_living_or_ended("member_is_suspected", member, other, state)
        case membership.SuspicionCleared(member=other):
            if other in _present(state["suspects"][member]):
                yield always("suspicion_is_cleared", member, other)
        case membership.ClaimBegun():
            yield always("claim_begins", member)
        case membership.ClaimGranted(candidate=candidate):
            yield always("claim_is_granted", member, candidate)
        case membership.MastershipClaimed(members=members):
            yield always("claim_ends", member, agrees=lambda state: _lists_strangers(member, members, state))
        case partitioning.FetchBegun(asked=asked):
            agrees = says(("asked members", sorted(asked), lambda state: _present(state["asked_at"][member])))
            yield always("fetch_begins", member, agrees=agrees)
        case _:
            assert_never(event)


def _list_learned(member: int, members: tuple[int, ...], state: State) -> Iterator[Observation]:
    """Yield the actions by which a member's list changes, one for each member that is added or removed, and then the
    action by which the member follows another master, if it does."""
    rank = state["rank"][member]
    listed = sorted(_present(rank), key=rank.__getitem__)
    kept = [other for other in listed if other in members]
    if members[: len(kept)] != tuple(kept):
        kept = []
    yield from (of_living_or_ended("member_is_removed", member, other, state) for other in listed if other not in kept)
    yield from (always("member_is_listed", member, other) for other in members[len(kept) :])
    again = (other for other in listed if other in members and other not in kept)
    suspected = (other for other in again if state["suspects"][member][other])
    yield from (of_living_or_ended("member_is_suspected", member, other, state) for other in suspected)
    if state["follows"][member] != members[0]:
        yield always("master_is_followed", member, members[0])


def _tables_of(member: int, sender: int, row: Row, state: State) -> Iterator[Event]:
    """Yield the actions by which a row may have come with a table: as a newer row, or by the promotion of a backup."""
    sent = state["sent"][sender] if 0 <= sender < len(state["sent"]) else ()
    # Two tables are tried: the newest fitting table that promotes a backup, and the newest fitting table that does not.
    newest = {one.promotes is None: place for place, one in enumerate(sent) if (one.row, one.version) == row}
    for action in ("table_arrives", "backup_is_promoted"):
        for place in sorted(newest.values(), reverse=True):
            yield Event(action, (member, sender, place))


def _newest(member: int, row: Row, state: State) -> Iterator[Event]:
    """Yield the actions by which a member fetches the newest row from a member it asked; the version may rise later."""
    for other in _present(state["asked_at"][member]):
        for place, table in enumerate(state["sent"][other]):
            if table.row == row[0] and state["version"][member] < table.version <= row[1]:
                yield Event("newest_row_is_fetched", (member, other, place))


def _of_any_migration(member: int, *actions: str, agrees: Agrees | None = None) -> Observation:
    """Return an observation that may be any of these actions for any migration, since the event names no migration."""

    def find(state: State) -> Iterable[Event]:
        ordered = _present(change.master for change in state["plan"])
        return [Event(action, (member, place)) for action in actions for place in ordered]

    return Observation(find, agrees, "no migration was ordered that it could belong to")


def _has_row(member: int, row: Row) -> Agrees:
    slots = "slots", row[0], lambda state: state["row"][member]
    return says(slots, ("version", row[1], lambda state: state["version"][member]))


def _lists_strangers(master: int, members: Iterable[int], state: State) -> str | None:
    """Return a sentence if a new master lists a member that has not accepted it; None otherwise."""
    strangers = [other for other in members if other not in (master, *_present(state["granted"][master]))]
    return f"it lists member {strangers[0]}, which has not said that it follows it" if strangers else None


def _present(cells: Iterable[object]) -> list[int]:
    """Return the numbers of the cells that have a value: neither None nor False."""
    return [number for number, cell in enumerate(cells) if cell is not None and cell is not False]
