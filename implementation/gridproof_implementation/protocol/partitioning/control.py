"""The master's round: it fetches rows, repairs the table, promotes, plans, migrates, and lets leavers go.

Events only request a round; a round begins when no step of the previous round is under way (table.26). Pauses, the rest
after a failure, and the rebalance delay postpone the next round (migration.14, migration.23, repair.2).

`Planning` computes the table that the master wants. The placement policy says where replicas should be, and a plan says
by which steps they get there. Members that asked to leave get no replicas, and lose those that they have (placement.2,
leaving.4).

`Departures` handles graceful shutdowns: a member asks to leave, its replicas are moved away, and it gets an answer. A
leaver asks the master every second; the master plans without it, so that all its replicas migrate to other members, and
answers when no row names it any more (leaving.5). A new master learns of a request to leave because the leaver repeats
it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random

from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_implementation.protocol.effects import AnswerDue, Stop, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import ShutdownRequest, ShutdownResponse
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.protocol.partitioning.recovery import PromotionMaster, Repair, Succession
from gridproof_implementation.protocol.partitioning.table import LocalTable, Publication
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.partitioning import PlanMade, ShutdownAnswered, ShutdownEnded, ShutdownRequested
from gridproof_model.events.words import WhyLeaverGoes, WhyPublished, WhyRowChanged
from gridproof_model.groups import MemberGroup, compute_groups, max_allowed_backup_count
from gridproof_model.membership import ClusterState, MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable


class Planning:
    """Asks the placement policy for a placement, given the present members and rows."""

    def __init__(self, node: Node, table: LocalTable, policy: PlacementPolicy, leavers: Collection[MemberId]) -> None:
        """Plan with a policy; at any time `leavers` contains the members that have asked to leave so far."""
        self._node = node
        self._table = table
        self._policy = policy
        self._leavers = leavers
        self._plans = count(1)

    def arrange(self) -> bool:
        """Give every row of the empty table its replicas; return False if no member can own partitions (table.10)."""
        request = self._request()
        target = self._place(request)
        if target is None:
            return False
        self._install(
            [row.with_slots(slots) for row, slots in zip(self._table.rows, target, strict=True)], WhyRowChanged.ARRANGED
        )
        return True

    def plan(self) -> Plan | None:
        """Make a plan (None if no member can own partitions); carry out its removals and new owners at once
        (placement.19)."""
        request = self._request()
        target = self._place(request)
        if target is None:
            return None
        plan = self._policy.plan(request, target)
        self._install(plan.table.rows, WhyRowChanged.PLANNED)
        return plan

    def assign_lost(self) -> bool:
        """Assign all slots of completely lost partitions to members, without data and without a plan (repair.14).

        An assignment without a plan is for a cluster state that allows no migrations; in other states an owner is
        assigned, and backups are copied later (repair.11, placement.19). Return whether slots of lost partitions were
        assigned.
        """
        lost = frozenset(partition for partition, row in enumerate(self._table.rows) if not row.replicas)
        target = self._place(self._request(lost)) if lost else None
        if target is None:
            return False
        rows = [row.with_slots(slots) for row, slots in zip(self._table.rows, target, strict=True)]
        self._install([new if p in lost else self._table.rows[p] for p, new in enumerate(rows)], WhyRowChanged.ASSIGNED)
        return True

    def groups(self, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
        """Return the partition groups of the data members."""
        node = self._node
        return compute_groups(node.config.partition_groups, node.membership.members.data_members, excluded)

    def max_backup_count(self) -> int:
        """Return how many backups a partition can have, given the members in this member's own list (placement.8)."""
        return max_allowed_backup_count(len(self.groups()))

    def _request(self, scope: frozenset[int] | None = None) -> PlacementRequest:
        table = PartitionTable(self._table.snapshot)
        return PlacementRequest(self.groups(self._leavers), table, scope=scope)

    def _place(self, request: PlacementRequest) -> Target | None:
        # The random numbers depend on this member's uuid and its number of plans so far: equal runs make equal plans.
        return self._policy.place(request, Random(self._node.me.uuid.int + next(self._plans)))

    def _install(self, rows: Sequence[PartitionRow], why: WhyRowChanged) -> None:
        for partition, row in enumerate(rows):
            if row.version != self._table.rows[partition].version:
                self._table.install(partition, row, why)


ASK_AGAIN_US = SECOND_US
"""The time after which a leaving member repeats its request (leaving.1)."""


@dataclass(frozen=True, slots=True)
class AskAgain(AnswerDue):
    """The master has not answered the request to leave yet."""


@dataclass(slots=True, eq=False)
class Departures:
    """Both sides of a graceful shutdown: the leaver's side and the master's."""

    _node: Node
    _table: LocalTable
    _knows_table: Callable[[], bool]
    """A function that says whether this master has the newest rows."""
    _is_destination: Callable[[MemberId], bool]
    """A function that says whether a migration to a member is under way."""
    _when_asked: Callable[[bool], None]
    """Called when a member has asked to leave, with True at its first request; the master then plans without the
    member."""
    leavers: dict[MemberId, None] = field(default_factory=dict)
    """The members that have asked this master to leave, in the order in which they asked."""
    _deadline_us: int | None = None
    _has_ended: bool = False

    def request(self) -> None:
        """Ask the master to leave; a member that has not joined, or a lite member, leaves at once (leaving.2)."""
        if self._deadline_us is not None or self._has_ended:
            return
        self._node.emit(ShutdownRequested())
        if not self._node.membership.is_joined or self._is_lite():
            self._end(WhyLeaverGoes.NOTHING_TO_SAVE)
            return
        self._deadline_us = self._node.now_us + self._node.settings.graceful_shutdown_max_wait_us
        self._ask()

    def on_ask_again(self, _timer: AskAgain) -> None:
        """Repeat the request, or leave without an answer if the longest waiting time is over (leaving.3)."""
        if self._deadline_us is not None and self._node.now_us >= self._deadline_us:
            self._end(WhyLeaverGoes.WAITED_TOO_LONG)
        elif not self._has_ended:
            self._ask()

    def on_response(self, _sender: MemberId, response: ShutdownResponse) -> None:
        """End this member, since the master says that no row names it any more."""
        # An answer is sent to an address, so it may be meant for an earlier incarnation at this address (table.3).
        if response.leaver == self._node.me and self._deadline_us is not None:
            self._end(WhyLeaverGoes.ANSWERED)

    def on_request(self, _sender: MemberId, request: ShutdownRequest) -> None:
        """As the master, note that a member wants to leave, and plan without it, or let it leave at once (leaving.7).

        A master that does not know the newest rows yet does not answer; the leaver asks again.
        """
        membership = self._node.membership
        if not membership.is_master or not membership.is_member(request.leaver) or not self._knows_table():
            return
        why = self.why_at_once()
        if why is not None:
            self._answer(request.leaver, why)
        else:
            is_new = request.leaver not in self.leavers
            self.leavers[request.leaver] = None
            self._when_asked(is_new)

    def why_at_once(self) -> str | None:
        """Return why a leaver may leave before its data is moved, or None if it must wait (leaving.7)."""
        state = self._node.membership.cluster_state
        if not self._table.is_initialised:
            return "no table yet"
        # No leaver leaves at once during a change of state: the change may end in ACTIVE, where leavers move data.
        if not state.allows_migration and state is not ClusterState.IN_TRANSITION:
            return f"the cluster is {state}"
        return None

    def let_go(self) -> None:
        """As the master, answer all leavers if every data member leaves, or else each leaver that no row names
        (leaving.6)."""
        staying = [m for m in self._node.membership.members.data_members if m.id not in self.leavers]
        for leaver in list(self.leavers):
            if not staying:
                self._answer(leaver, "every data member leaves")
            elif self.is_absent(leaver):
                self._answer(leaver, "in no row")

    def is_absent(self, leaver: MemberId) -> bool:
        """Whether no row of the master's table names a member, now or after migrations under way (leaving.5; invariant
        S1).

        A migration that was ordered before the member asked to leave may still bring it a replica.
        """
        # All slots are checked, not only the first backup's: any copy may be the one that is needed (defect HZ-76).
        return not self._is_destination(leaver) and all(leaver not in row.slots for row in self._table.rows)

    def member_removed(self, gone: MemberId) -> None:
        """Forget a leaver that has left the list (leaving.9)."""
        self.leavers.pop(gone, None)

    def _is_lite(self) -> bool:
        return self._node.membership.members.get(self._node.me).lite

    def _ask(self) -> None:
        master = self._node.membership.master
        if master is not None:
            self._node.send(master, ShutdownRequest(self._node.me))
        self._node.set_timer(AskAgain(), ASK_AGAIN_US)

    def _answer(self, leaver: MemberId, why: str) -> None:
        self._node.emit(ShutdownAnswered(self._node.numbers[leaver], why))
        self._node.send(leaver, ShutdownResponse(leaver))

    def _end(self, why: WhyLeaverGoes) -> None:
        self._has_ended = True
        self._node.cancel_timer(AskAgain())
        self._node.emit(ShutdownEnded(why))
        self._node.membership.say_goodbye()
        self._node.invocations.shut_down()
        self._node.effects.append(Stop())


REST_US = 3 * SECOND_US
"""How long migration tasks rest after a failure (migration.14)."""
REST_MAX_US = 6 * SECOND_US
"""The longest time for which migration tasks rest if further failures follow (migration.14)."""


@dataclass(frozen=True, slots=True)
class RestOver(Timer):
    """It is time to try migrations again."""


@dataclass(frozen=True, slots=True)
class DelayOver(Timer):
    """The rebalance delay is over, in which a member that left could have come back (repair.2)."""


class Control:
    """Decides when the master takes which step of a round."""

    def __init__(self, node: Node, table: LocalTable, policy: PlacementPolicy) -> None:
        self._node = node
        self._table = table
        self.publication = Publication(node, table, lambda: self.is_busy)
        self.succession = Succession(node, table, self.publication, self.trigger)
        self.repair = Repair(node, table)
        self.promotions = PromotionMaster(node, table, self.publication, self.on_promotions_done)
        self.migrations = MigrationMaster(node, table, self.publication, self.on_migrations_idle, self.rest)
        self.departures = Departures(
            node, table, self.knows_table, self.migrations.is_destination, self.on_departure_asked
        )
        self.planning = Planning(node, table, policy, self.departures.leavers)
        self._is_due = False
        self.pauses = 0
        """The number of reasons for which no migration task may run now (migration.23)."""
        self._resting_since_us: int | None = None
        self._is_delayed = False
        self._is_held = False
        """Whether the last round made no plan because the cluster state forbade it."""

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed: not before joining, in a pause, or just after a failure
        (migration.23)."""
        return self.pauses == 0 and self._resting_since_us is None and self._node.membership.is_joined

    @property
    def is_fetching(self) -> bool:
        """Whether this member, as a new master, does not have the newest rows yet (table.21)."""
        return self.succession.is_required

    def knows_table(self) -> bool:
        """Whether this member, as the master, has the newest rows: its claim and its fetch of rows are over
        (table.21)."""
        return self.may_migrate and not self.succession.is_required

    @property
    def is_busy(self) -> bool:
        """Whether rows are being fetched, promoted or migrated, or are about to be."""
        return bool(self.succession.is_required or self.promotions.underway or self.migrations.is_moving)

    @property
    def is_moving(self) -> bool:
        """Whether partitions move, or a round that may move them has been requested and has not begun (sync.19)."""
        return self.is_busy or (self._is_due and self._node.membership.is_master)

    def trigger(self) -> None:
        """Request a round; if a plan is still being carried out, its remaining migrations are dropped."""
        self._is_due = True
        self.proceed()

    def proceed(self) -> None:
        """Take the next step of the round, if it may be taken now."""
        if not self._node.membership.is_master or not self.may_migrate or self._is_delayed:
            return
        if self.succession.is_required:
            self.succession.begin()
        elif not self._is_due:
            self.migrations.go_on()
        else:
            self.migrations.drop_plan()
            if not self.is_busy:
                self._is_due = False
                self.round()

    def round(self) -> None:
        """Repair the table, then plan (table.26)."""
        state = self._node.membership.cluster_state
        self._is_held = not state.allows_migration
        # In FROZEN and PASSIVE clusters missing members keep their slots: a repair would free them (repair.15; HZ-82).
        if not self._table.is_initialised or not (state.allows_migration or state.allows_promotion):
            self.departures.let_go()
            return
        if self.repair.make_holes():
            self.publication.publish(WhyPublished.REPAIRED)
        wanted = self.repair.wanted_promotions()
        if wanted:
            self.promotions.begin(wanted)
        else:
            self.repartition()

    def on_promotions_done(self, all_succeeded: bool) -> None:
        """Plan, or request another round if a promotion failed (repair.6, repair.12)."""
        # Members that left meanwhile are still in rows, and rows are repaired before new rows are planned (table.26).
        if self._is_due or not all_succeeded:
            self.trigger()
        else:
            self.repartition()

    def repartition(self) -> None:
        """Plan, publish, and begin to migrate; if migrations are forbidden, assign lost partitions (table.26,
        repair.14)."""
        if not self._node.membership.cluster_state.allows_migration:
            if self.planning.assign_lost():
                self.publication.publish(WhyPublished.ASSIGNED)
            self.departures.let_go()
            return
        plan = self.planning.plan()
        if plan is not None:
            self._node.emit(PlanMade(plan.migration_count))
            self.publication.publish(WhyPublished.PLANNED)
        self.migrations.begin({} if plan is None else plan.queues)

    def on_departure_asked(self, is_new: bool) -> None:
        """Plan without a member that wants to leave; if it asks again, check whether it may leave now (leaving.4)."""
        if is_new:
            self.trigger()
        else:
            self.proceed()

    def on_migrations_idle(self) -> None:
        """Begin the round that was requested; if there is none, let the leavers go that no row names (table.26)."""
        if self._is_due:
            self.proceed()
        elif self.departures.leavers:
            self.departures.let_go()

    def rest(self) -> None:
        """Pause migrations after a failure, longer if another failure follows; then plan again (migration.14)."""
        self._is_due = True
        now_us = self._node.now_us
        if self._resting_since_us is None:
            self._resting_since_us = now_us
        end_us = min(now_us + REST_US, self._resting_since_us + REST_MAX_US)
        self._node.set_timer(RestOver(), end_us - now_us)

    def on_rest_over(self, _timer: RestOver) -> None:
        """Try again."""
        self._resting_since_us = None
        self.proceed()

    def cluster_state_changed(self) -> None:
        """Make a plan now if the old state forbade plans (members.26); any other change of state moves no replicas
        (placement.15)."""
        # To plan at every change of state would move replicas without a cause (defect HZ-09).
        if self._is_held:
            self.trigger()
        else:
            self.proceed()

    def pause(self) -> None:
        """Allow no migration tasks until each pause has been undone (migration.23)."""
        self.pauses += 1

    def resume(self) -> None:
        """Undo one pause."""
        self.pauses -= 1
        self.proceed()

    def trigger_after_delay(self) -> None:
        """Request a round for the end of the rebalance delay, which postpones promotions, too (repair.2)."""
        delay_us = self._node.settings.rebalance_delay_us
        if delay_us > 0:
            self._is_due = self._is_delayed = True
            self.migrations.drop_plan()
            self._node.set_timer(DelayOver(), delay_us)
        else:
            self.trigger()

    def on_delay_over(self, _timer: DelayOver) -> None:
        """Begin the round that the rebalance delay has postponed."""
        self._is_delayed = False
        self.proceed()
