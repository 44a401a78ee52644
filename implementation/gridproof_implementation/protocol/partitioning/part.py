"""The state machine of one member for partitions.

It consists of pieces, and gives each message to the piece that handles it. The pieces are, in the order of a migration:
`messages` (orders and announcements), `table` (a member's own table, and how the master publishes its table), `control`
(the master's rounds), `recovery` (the master's first steps when a member has left), `migrating` (how the master moves
copies), `participation` (what the other members do for the master), and `safety` (how safe the partitions are). The
pieces contain all rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.protocol.effects import AnswerDue
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_implementation.protocol.partitioning import messages, migrating, recovery, safety
from gridproof_implementation.protocol.partitioning import table as tables
from gridproof_implementation.protocol.partitioning.control import AskAgain, Control, DelayOver, RestOver
from gridproof_implementation.protocol.partitioning.participation import (
    EarlyOrders,
    EarlyOver,
    Participation,
    TableReceiver,
)
from gridproof_implementation.protocol.partitioning.recovery import PromotionParticipant
from gridproof_implementation.protocol.partitioning.safety import Safety
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.words import ServiceState, WhyPublished, WhyRowChanged
from gridproof_model.membership import Member, MemberId
from gridproof_model.partition_table import PartitionRow

NUDGE_PAUSE_US = SECOND_US
"""The shortest time between two requests to the master for a first arrangement.

Choice (table.11): one second, since a request may be lost; by the documents the next request waits for the answer."""


@dataclass(frozen=True, slots=True)
class NudgeAgain(AnswerDue):
    """This member may now ask the master again for a first arrangement."""


class PartitioningPart:
    """Which member has which partition: what one member knows about this and, as the master, decides."""

    def __init__(self, node: Node, policy: PlacementPolicy) -> None:
        self._node = node
        self.table = LocalTable(node)
        self.early = EarlyOrders(node)
        self.reception = TableReceiver(node, self.table, self.early)
        self.participation = Participation(node, self.table, self.reception, self.early)
        self.promoted = PromotionParticipant(node, self.table, self.reception)
        self.control = Control(node, self.table, policy)
        self.safety = Safety(node, self.table, self.control)
        # The other parts of the member call these methods, each of which is a method of one object of this part.
        self.start, self.request_shutdown = self.control.publication.start, self.control.departures.request
        self.pause, self.resume = self.control.pause, self.control.resume
        self.cluster_state_changed = self.control.cluster_state_changed
        self.check_cluster_safe, self.make_safe = self.safety.survey, self.safety.make_safe
        self.rows: list[PartitionRow] = self.table.rows
        self.max_backup_count = 0
        self._active = self.table.active
        self._is_nudging = False

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of all messages about partitions, collected from the pieces."""
        taking = self.participation
        return {
            messages.TableState: self.reception.on_table_state,
            messages.TableAck: self.control.publication.on_table_ack,
            messages.AssignPartitions: self.on_assign_partitions,
            messages.CompletedMigrations: self.reception.on_completed_migrations,
            messages.CompletedRefused: self.control.publication.on_completed_refused,
            messages.FetchTable: self.reception.on_fetch_table,
            messages.FetchedTable: self.control.succession.on_fetched,
            messages.PromotionCommit: self.promoted.on_commit,
            messages.PromotionDone: self.control.promotions.on_done,
            messages.MigrationRequest: taking.on_request,
            messages.MigrationOpen: taking.on_open,
            messages.MigrationReady: taking.on_ready,
            messages.MigrationFragments: taking.on_fragments,
            messages.FragmentsInstalled: taking.on_installed,
            messages.MigrationCommit: taking.on_commit,
            messages.MigrationAnswer: self.control.migrations.on_answer,
            messages.CommitAnswer: self.control.migrations.on_commit_answer,
            messages.ShutdownRequest: self.control.departures.on_request,
            messages.ShutdownResponse: self.control.departures.on_response,
            messages.AskMigrations: self.safety.on_ask_migrations,
            messages.MigrationsAnswer: self.safety.on_migrations_answer,
            messages.AskSafe: self.safety.on_ask_safe,
            messages.SafeAnswer: self.safety.on_safe_answer,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of all timers about partitions, collected from the pieces."""
        return {
            NudgeAgain: self.on_nudge_again,
            tables.SendTable: self.control.publication.on_send_table,
            migrating.RepeatMigrations: self.control.migrations.on_repeat,
            EarlyOver: self.early.on_early_over,
            recovery.RepeatPromotions: self.control.promotions.on_repeat,
            recovery.RepeatFetch: self.control.succession.on_repeat,
            RestOver: self.control.on_rest_over,
            DelayOver: self.control.on_delay_over,
            AskAgain: self.control.departures.on_ask_again,
            safety.MasterSilent: self.safety.on_master_silent,
            safety.MembersSilent: self.safety.on_members_silent,
            safety.CheckAgain: self.safety.on_check_again,
            safety.TimeOver: self.safety.on_time_over,
        }

    def taken(self) -> Taken:
        """Return how many migrations, orders, promotions, questions and pauses are open here."""
        return {
            "safe_questions": self.safety.open_count,
            "source_places": self.control.migrations.source_places,
            "destination_places": self.control.migrations.destination_places,
            "ordered_migrations": self.control.migrations.ordered_count,
            "migrations": len(self._active),
            "early_orders": len(self.early),
            "completed_migrations": self.control.publication.remembered,
            "promotions": len(self.control.promotions.underway),
            "migration_pauses": self.control.pauses,
        }

    @property
    def is_initialised(self) -> bool:
        """Whether this member knows a first arrangement of the partitions (table.10)."""
        return self.table.is_initialised

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed now (migration.23)."""
        return self.control.may_migrate

    @property
    def has_leavers(self) -> bool:
        """Whether members that asked this master to leave are still in the cluster (leaving.5)."""
        return bool(self.control.departures.leavers)

    @property
    def is_moving(self) -> bool:
        """Whether this member takes part in moving a partition, or will soon take part (members.26, sync.19)."""
        return self.control.is_moving or bool(self._active) or bool(self.early)

    @property
    def stamp(self) -> int:
        """The digest of all row versions (table.6)."""
        return self.table.stamp

    def is_migrating(self, partition: int) -> bool:
        """Whether the migrating flag of a partition is set on this member (migration.9)."""
        return partition in self._active

    def owner_of(self, partition: int) -> MemberId | None:
        """Return the primary; if there is none, make the first arrangement, or ask the master for it (table.11)."""
        owner = self.rows[partition].slots[0]
        if owner is not None:
            return owner
        membership = self._node.membership
        if membership.is_master:
            self.arrange_first()
        elif membership.master is not None and not self._is_nudging:
            self._is_nudging = True
            self._node.set_timer(NudgeAgain(), NUDGE_PAUSE_US)
            self._node.send(membership.master, messages.AssignPartitions())
        return self.rows[partition].slots[0]

    def on_nudge_again(self, _timer: NudgeAgain) -> None:
        """Note that the next call that needs an owner may ask the master again."""
        self._is_nudging = False

    def on_assign_partitions(self, sender: MemberId, _message: messages.AssignPartitions) -> None:
        """Make the first arrangement if there is none yet; if there is one, answer with the table (table.11)."""
        if self._node.membership.is_master and not self.arrange_first() and self.table.is_initialised:
            self.control.publication.push([sender], WhyPublished.ASKED_FOR_OWNERS)

    def arrange_first(self) -> bool:
        """Make and publish the first arrangement, if due and allowed; return whether it was made (table.10).

        Choice (table.10): the arrangement is made when a caller first needs an owner, as in Hazelcast's code. The seed
        document says that the table is made when the first member starts (seed: Partition Table); then, if members
        start together, each join would move partitions. Whether arranged early or late, every row is filled when a
        caller needs an owner.
        """
        if self.table.is_initialised or not self.may_arrange() or not self.control.planning.arrange():
            return False
        self.control.publication.publish(WhyPublished.ARRANGED)
        return True

    def may_arrange(self) -> bool:
        """Whether this member is allowed to make the first arrangement of the partitions now.

        No arrangement is made while a mastership claim or a fetch of rows may still bring a table that was arranged
        earlier (table.10; HZ-44).
        """
        return self._node.membership.cluster_state.allows_migration and self.control.knows_table()

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Count the groups anew; plan again if a new member can own partitions (placement.8; seed: Repartitioning)."""
        self._take_note_of_members()
        self.early.look_again()
        if self.table.is_initialised and any(not newcomer.lite for newcomer in newcomers):
            self.control.trigger()

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """Stop waiting for a member that left; as the master, begin to repair the table (repair.1)."""
        self._take_note_of_members()
        state, control = self._node.membership.cluster_state, self.control
        # Each piece of this part could go on, but none may begin anything before all pieces know that the member left.
        control.pause()
        if was_master and self._node.membership.is_master and control.succession.is_needed(state):
            control.succession.require()
        for piece in (control.departures, control.migrations, control.promotions, control.succession, self.safety):
            piece.member_removed(gone.id)
        # Nothing waits any more for the acknowledgement of the member that left (table.19).
        control.publication.evict()
        # A lite member leaves no empty slots, but if it was the master, the newest rows have to be fetched (table.21).
        if was_master or not gone.lite:
            control.trigger_after_delay()
        control.resume()

    def member_returned(self, gone: MemberId, back: Member) -> None:
        """Replace a missing member in the master's table by its new incarnation (members.25)."""
        for partition, row in enumerate(list(self.rows)):
            index = row.slot_of(gone)
            if index is not None:
                self.table.install(partition, row.with_slot(index, back.id), WhyRowChanged.RETURNED)
        self.control.publication.publish(WhyPublished.RETURNED)

    def table_for_joiners(self) -> object:
        """Return the table, or None if there is none yet, or if the fetch may find newer rows (table.12, table.21)."""
        is_known = self.table.is_initialised and not self.control.succession.is_required
        return self.control.publication.state() if is_known else None

    def table_received(self, sender: MemberId, table: object) -> None:
        """Merge the table that came with a join or a member update (table.12, table.14)."""
        if table is not None:
            self.reception.on_table_state(sender, cast("messages.TableState", table))

    def check_safe(self, then: Callable[[ServiceState], None]) -> None:
        """Find out how safe this member's partitions are (sync.19)."""
        self.safety.check(then)

    def _take_note_of_members(self) -> None:
        self.reception.latest_master = self._node.membership.master
        self.max_backup_count = self.control.planning.max_backup_count()
