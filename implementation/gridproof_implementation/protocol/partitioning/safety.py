"""How safe are the partitions of this member, and the whole cluster?

The states are checked in order, and the first state that applies is the answer (sync.19, sync.20). A missing answer of
another member counts as "no": a master that does not answer counts as having no migrations, and any other member that
does not answer counts as not safe. The result may be outdated by the time it is returned (limits.12)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from gridproof_implementation.protocol.effects import AnswerDue, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.control import Control
from gridproof_implementation.protocol.partitioning.messages import AskMigrations, AskSafe, MigrationsAnswer, SafeAnswer
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.partitioning import SafetyChecked
from gridproof_model.events.words import ClusterUnsafe, SafetyOf, ServiceState
from gridproof_model.membership import MemberId
from gridproof_model.partition_table import PartitionRow

MASTER_TIMEOUT_US = 10 * SECOND_US
"""How long this member waits for the master's answer (sync.20)."""


@dataclass(frozen=True, slots=True)
class MasterSilent(AnswerDue):
    """The master has not answered in time."""

    number: int


@dataclass(frozen=True, slots=True)
class MembersSilent(AnswerDue):
    """Not all members have answered in time."""

    number: int


@dataclass(frozen=True, slots=True)
class CheckAgain(Timer):
    """It is time to check again whether a member that is to be made safe is safe now."""

    number: int


@dataclass(frozen=True, slots=True)
class TimeOver(Timer):
    """The time within which a member was to be made safe is over."""

    number: int


@dataclass(slots=True)
class Comparison:
    """A comparison of the owned partitions with their backups; it ends at the first "no", or when all say "yes"."""

    waits_for: int
    then: Callable[[ServiceState], None]

    def on_result(self, in_sync: bool) -> None:
        """Count the result of one partition."""
        if self.waits_for == 0:
            return
        self.waits_for = self.waits_for - 1 if in_sync else 0
        if self.waits_for == 0:
            self.then(ServiceState.SAFE if in_sync else ServiceState.REPLICA_NOT_SYNC)


@dataclass(slots=True)
class Survey:
    """A question to all members whether they are safe; it ends at the first "no", or when all say "yes"."""

    waits_for: dict[MemberId, None]
    then: Callable[[bool], None]


class Safety:
    """Finds out how safe this member is, and asks other members."""

    def __init__(self, node: Node, table: LocalTable, control: Control) -> None:
        self._node = node
        self._table = table
        self._control = control
        self._numbers = count()
        self._checks: dict[int, Callable[[ServiceState], None]] = {}
        """The checks that wait for the master's answer, by number."""
        self._surveys: dict[int, Survey] = {}
        self._requests: dict[int, Callable[[bool], None]] = {}

    @property
    def open_count(self) -> int:
        """How many questions and requests about safety wait for answers."""
        return len(self._checks) + len(self._surveys) + len(self._requests)

    def check(self, then: Callable[[ServiceState], None]) -> None:
        """Find out how safe this member is, and report the state once."""

        def answer(state: ServiceState) -> None:
            self._node.emit(SafetyChecked(SafetyOf.MEMBER, state))
            then(state)

        state, master = self.local_state(), self._node.membership.master
        if state is not None:
            answer(state)
        elif master is None or master == self._node.me:
            self._compare(answer)
        else:
            number = next(self._numbers)
            self._checks[number] = answer
            self._node.send(master, AskMigrations(number))
            self._node.set_timer(MasterSilent(number), MASTER_TIMEOUT_US)

    def local_state(self) -> ServiceState | None:
        """Return the first state that applies, or None if other members have to be asked for it (sync.19).

        A member whose table is not initialised is safe, since it has no data to lose. In a cluster state in which no
        member may join, slots of missing members count as owned.
        """
        if self._control.is_fetching:
            return ServiceState.FETCHING_PARTITION_TABLE
        if not self._table.is_initialised:
            return ServiceState.SAFE
        if not all(self.is_owned(row) for row in self._table.rows):
            return ServiceState.REPLICA_NOT_OWNED
        if self._control.is_moving or self._table.active:
            return ServiceState.MIGRATION_LOCAL
        return None

    def is_owned(self, row: PartitionRow) -> bool:
        """Whether members hold all slots of a row that can be filled with the present number of groups."""
        membership, needed = self._node.membership, row.slots[: self._node.partitions.max_backup_count + 1]
        tolerates_missing = not membership.cluster_state.allows_join
        return all(slot is not None and (tolerates_missing or membership.is_member(slot)) for slot in needed)

    def _compare(self, then: Callable[[ServiceState], None]) -> None:
        me = self._node.me
        owned = [partition for partition, row in enumerate(self._table.rows) if row.slots[0] == me]
        comparison = Comparison(len(owned), then)
        if not owned:
            then(ServiceState.SAFE)
        for partition in owned:
            self._node.anti_entropy.check(partition, comparison.on_result)

    def on_ask_migrations(self, sender: MemberId, question: AskMigrations) -> None:
        """As the master, answer whether a migration is under way or waits."""
        self._node.reply(MigrationsAnswer(question.number, self._control.is_moving, asker=sender))

    def on_migrations_answer(self, _sender: MemberId, answer: MigrationsAnswer) -> None:
        """Continue the check for which the master was asked."""
        self._master_answered(answer.number, is_moving=answer.is_moving)

    def on_master_silent(self, timer: MasterSilent) -> None:
        """Treat a missing answer as "no migrations" (sync.20)."""
        self._master_answered(timer.number, is_moving=False)

    def _master_answered(self, number: int, *, is_moving: bool) -> None:
        then = self._checks.pop(number, None)
        if then is None:
            return
        self._node.cancel_timer(MasterSilent(number))
        if is_moving:
            then(ServiceState.MIGRATION_ON_MASTER)
        else:
            self._compare(then)

    def make_safe(self, timeout_us: int, then: Callable[[bool], None]) -> None:
        """Check every second until this member is safe; each check starts syncs of backups that differ (sync.22)."""
        number = next(self._numbers)
        self._requests[number] = then
        self._node.set_timer(TimeOver(number), timeout_us)
        self.on_check_again(CheckAgain(number))

    def on_check_again(self, timer: CheckAgain) -> None:
        """Check whether this member is safe, and end the request, or check again a second later."""

        def go_on(state: ServiceState) -> None:
            if state is ServiceState.SAFE:
                self._end_request(timer.number, is_safe=True)
            elif timer.number in self._requests:
                self._node.set_timer(timer, SECOND_US)

        if timer.number in self._requests:
            self.check(go_on)

    def on_time_over(self, timer: TimeOver) -> None:
        """Give up."""
        self._end_request(timer.number, is_safe=False)

    def _end_request(self, number: int, *, is_safe: bool) -> None:
        then = self._requests.pop(number, None)
        if then is not None:
            self._node.cancel_timer(TimeOver(number))
            then(is_safe)

    def survey(self, then: Callable[[bool], None]) -> None:
        """Ask all members whether they are safe (isClusterSafe, sync.21)."""

        def answer(is_safe: bool) -> None:
            self._node.emit(SafetyChecked(SafetyOf.CLUSTER, ServiceState.SAFE if is_safe else ClusterUnsafe.NOT_SAFE))
            then(is_safe)

        number = next(self._numbers)
        members = [member.id for member in self._node.membership.members]
        self._surveys[number] = Survey(dict.fromkeys(members), answer)
        for member in members:
            self._node.send(member, AskSafe(number))
        wait_us = self._node.settings.graceful_shutdown_max_wait_us
        self._node.set_timer(MembersSilent(number), wait_us)
        self._end_if_complete(number)

    def on_ask_safe(self, sender: MemberId, question: AskSafe) -> None:
        """Check how safe this member is, and answer the question."""
        self.check(lambda state: self._node.reply(SafeAnswer(question.number, state, asker=sender)))

    def on_safe_answer(self, sender: MemberId, answer: SafeAnswer) -> None:
        """Count a member's answer."""
        survey = self._surveys.get(answer.number)
        if survey is None or sender not in survey.waits_for:
            return
        if answer.state is ServiceState.SAFE:
            del survey.waits_for[sender]
            self._end_if_complete(answer.number)
        else:
            self._end(answer.number, is_safe=False)

    def member_removed(self, gone: MemberId) -> None:
        """Stop waiting for a member that left; it counts as safe (sync.20)."""
        for number, survey in list(self._surveys.items()):
            survey.waits_for.pop(gone, None)
            self._end_if_complete(number)

    def on_members_silent(self, timer: MembersSilent) -> None:
        """Treat a missing answer as "not safe"."""
        self._end(timer.number, is_safe=False)

    def _end_if_complete(self, number: int) -> None:
        if not self._surveys[number].waits_for:
            self._end(number, is_safe=True)

    def _end(self, number: int, *, is_safe: bool) -> None:
        survey = self._surveys.pop(number, None)
        if survey is not None:
            self._node.cancel_timer(MembersSilent(number))
            survey.then(is_safe)
