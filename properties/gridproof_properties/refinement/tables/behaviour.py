"""One partition: its rows at all members, from the first one on."""

from collections.abc import Collection
from dataclasses import replace
from typing import assert_never

from gridproof_model.events.migration import (
    CommitOrdered,
    MigrationCopied,
    MigrationEnded,
    MigrationFinished,
    MigrationOpened,
    MigrationOrdered,
    MigrationReadied,
    MigrationStep,
)
from gridproof_model.events.partitioning import (
    Promoted,
    PromotionEnded,
    PromotionOrdered,
    RowInstalled,
    RowsFetched,
    TableReceived,
)
from gridproof_model.events.words import MigrationOutcome, WhyRowChanged
from gridproof_model.language import State
from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.specifications.tables.state import Outcome
from gridproof_properties.refinement.behaviour import Behaviour, runner_of
from gridproof_properties.refinement.observing import always, differs, fitted
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.tables.knowledge import KnownOfTables, OfMastership, fetched_migrations, trusted
from gridproof_properties.refinement.tables.observations import (
    Row,
    ended_as,
    fetched,
    has_row,
    of_migration,
    planned,
    put_back,
    received,
)
from gridproof_properties.refinement.tables.worlds import MIGRATIONS_MAX, SizeOfTables
from gridproof_properties.validation.engine import Agrees, GivenUpError, Observation, Onlooker, Text

UNRECORDED = ("outcome_is_learned",)
"""What nobody records, and is tried only where nothing else explains an event."""
OfMigration = MigrationOpened | MigrationReadied | MigrationCopied | CommitOrdered | MigrationEnded | MigrationFinished
OfRows = RowInstalled | PromotionOrdered | Promoted | PromotionEnded
OfPartition = OfRows | MigrationOrdered | OfMigration
OfAllPartitions = OfMastership | TableReceived | RowsFetched
STEPS: dict[type[OfMigration], tuple[str, ...]] = {
    MigrationOpened: ("primary_opens_migration",),
    MigrationReadied: ("destination_gets_ready",),
    MigrationCopied: ("primary_copies_data",),
    CommitOrdered: ("master_sends_commit",),
    MigrationEnded: ("migration_ends",),
    MigrationFinished: ("participant_finishes", "migration_is_settled"),
}


class BehaviourOfTables(Behaviour[SizeOfTables]):
    """The rows of one partition; mutable."""

    def __init__(self, known: KnownOfTables, onlooker: Onlooker | None) -> None:
        self._known = known
        self._pending: dict[int, list[tuple[Text, Row]]] = {}
        """Rows that members have got with a table that they are taking, or fetching."""
        self._migrations: dict[tuple[int, int], int] = {}
        """By master and its number of the migration, which migration it is here."""
        size = SizeOfTables().among(known.count)
        super().__init__(size, known.state(runner_of(size).start), onlooker, UNRECORDED)

    def take(self, step: Step, event: OfPartition | OfAllPartitions) -> None:
        """Go on with an event of a member."""
        text, member = step, step.member
        if isinstance(event, OfMastership):
            if self._known.left is not None:
                self._ends_heard(text, member, *self._known.left)
            self.take_all(*trusted(text, member, event, self.state))
            return
        match event:
            case RowInstalled():
                self._row_installed(text, member, event)
            case PromotionOrdered(destination=destination, from_index=index):
                self.take_all(
                    always(text, "master_orders_promotion", member, agrees=_asks_for(member, destination, index))
                )
                self._make_room(text, member)
            case Promoted():
                self.take_all(always(text, "primary_begins", member))
            case PromotionEnded(outcome=outcome):
                if outcome is MigrationOutcome.SUCCESS:
                    self.take_all(always(text, "promotion_ends", member))
            case MigrationOrdered():
                self._migration_ordered(text, event)
            case TableReceived():
                self._table_received(text, event, member)
            case RowsFetched():
                self._rows_fetched(text, event, member)
            case MigrationStep():
                self._of_migration(text, member, event)
            case _:
                assert_never(event)

    def _table_received(self, text: Text, event: TableReceived, member: int) -> None:
        """A member has taken a table: each row that was newer is a step."""
        for _, row in self._pending.pop(member, []):
            self.validation.take(*received(text, member, event.sender, row))
            self._shows(text, member, row)

    def _rows_fetched(self, text: Text, event: RowsFetched, member: int) -> None:
        """A new master has the newest row, and every migration that it has heard of has an outcome."""
        numbers = fetched_migrations(event)
        for (_, number), migration in self._migrations.items():
            if number in numbers and self._is_open(member, migration):
                self.take_all(always(text, "migration_is_settled", member, migration))
        pending = self._pending.pop(member, [])
        row = pending[-1][1] if pending else (self.state["row"][member], self.state["version"][member])
        if pending:
            self._fetch(text, member, row)
        self.take_all(always(text, "fetch_ends", member, agrees=has_row(member, row)))
        if pending:
            self._shows(text, member, row)

    def _ends_heard(self, text: Text, member: int, master: int, numbers: Collection[int]) -> None:
        """A member has heard from the master it followed how these migrations ended.

        Nobody records that, and it is tried where nothing else explains an event: but not after its master is another.
        """
        for (of, number), migration in self._migrations.items():
            if of == master and number in numbers and self.state["outcomes"][member][migration] is Outcome.UNKNOWN:
                self.take_all(always(text, "outcome_is_learned", member, migration))

    def _fetch(self, text: Text, member: int, row: Row) -> None:
        observation = fetched(text, member, row)
        is_own = row[0] == self.state["row"][member]
        if not is_own or any(True for _ in observation.events(self.state)):
            self.take_all(observation)
        if self.state["version"][member] < row[1]:
            self.take_all(of_migration(text, "fetched_row_is_lifted", member, has_row(member, row)))

    def _is_open(self, member: int, migration: int) -> bool:
        state = self.state
        is_unknown: bool = state["outcomes"][member][migration] is Outcome.UNKNOWN
        return is_unknown or bool(state["active"][member] == migration)

    def _row_installed(self, text: Text, member: int, event: RowInstalled) -> None:
        row = fitted(event.slots, MAX_REPLICA_COUNT), event.version
        before, because = self.state["row"][member], f"{text}, {event.why}"
        match event.why:
            case WhyRowChanged.RECEIVED | WhyRowChanged.FETCHED:
                self._pending.setdefault(member, []).append((text, row))
                return
            case WhyRowChanged.ARRANGED | WhyRowChanged.PLANNED | WhyRowChanged.ASSIGNED:
                self.take_all(*planned(text, member, before, row[0]))
            case WhyRowChanged.RETURNED:
                self.take_all(*put_back(text, member, before, row[0]))
            case WhyRowChanged.REPAIRED:
                self.take_all(always(because, "master_empties_slots", member))
            case WhyRowChanged.PROMOTED:
                self.take_all(always(because, "master_records_promotion", member))
            case WhyRowChanged.COMMITTED:
                actions = ("destination_commits", "master_commits")
                self.validation.take(*(of_migration(because, action, member) for action in actions))
            case WhyRowChanged.FAILED:
                fails = of_migration(because, "migration_fails", member)
                self.validation.take(fails, always(because, "promotion_fails", member))
            case WhyRowChanged.COMPLETED:
                self.validation.take(of_migration(because, "completed_migration_is_applied", member))
            case _:
                assert_never(event.why)
        self._shows(text, member, row)

    def _shows(self, text: Text, member: int, row: Row) -> None:
        """Compare a row, and let it go out: it may be under way from now on."""
        self.take_all(always(text, "table_is_sent", member, agrees=has_row(member, row)))
        self._make_room(text, member)

    def _migration_ordered(self, text: Text, event: MigrationOrdered) -> None:
        migration = len(self._migrations)
        if migration == MIGRATIONS_MAX:
            raise GivenUpError(f"more than {MIGRATIONS_MAX} migrations of a partition")
        if migration == self.size.migrations:
            self.widen(replace(self.size, migrations=2 * migration))
        self._migrations[event.master, event.number] = migration
        arguments = (event.master, event.destination, event.slot)

        def agrees(state: State) -> str | None:
            plan = state["plan"][migration]
            return (
                differs("primary", event.primary, plan.primary)
                or differs("initial version", event.initial_version, plan.initial)
                or differs("slot left", event.left_slot, plan.left_slot)
            )

        if event.lower_slot is None:
            self.take_all(always(text, "master_orders_migration", *arguments, agrees=agrees))
        else:
            self.take_all(always(text, "master_orders_shift_down", *arguments, event.lower_slot, agrees=agrees))

    def _of_migration(self, text: Text, member: int, event: OfMigration) -> None:
        migration = self._migrations.get((event.master, event.number))
        if migration is None:
            missing = f"member {event.master} has ordered no migration {event.number}"
            self.take_all(Observation(text, missing=missing))
            return
        match event:
            case MigrationEnded(outcome=outcome) | MigrationFinished(outcome=outcome):
                agrees = ended_as(member, migration, outcome)
                options = (always(text, action, member, migration, agrees=agrees) for action in STEPS[type(event)])
                self.validation.take(*options)
            case MigrationOpened() | MigrationReadied() | MigrationCopied() | CommitOrdered():
                self.take_all(*(always(text, action, member, migration) for action in STEPS[type(event)]))
            case _:
                assert_never(event)

    def _make_room(self, text: Text, member: int) -> None:
        """Forget the oldest table that somebody has sent where one more would not find room."""
        if len(self.state["sent"][member]) == self.size.tables_sent:
            self.has_passed_over = True
            self.take_all(always(text, "oldest_table_is_lost", member))


def _asks_for(member: int, destination: int, index: int) -> Agrees:
    """Return whether a master asks the lowest survivor of its row."""

    def agrees(state: State) -> str | None:
        lowest = next((slot for slot, holder in enumerate(state["row"][member]) if holder is not None), None)
        return differs("destination", destination, state["promotion"][member]) or differs("index", index, lowest)

    return agrees
