"""The master's round: fetch, repair, promote, plan, migrate, let go.

Whatever happens only asks for a round; a round begins when nothing of the last one is under way (reference partitioning
2.11). Pauses, the rest after a failure and the rebalance delay hold it back (4.4, 4.7, 5.1).
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.departures import Departures
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.protocol.partitioning.planning import Planning
from gridproof_implementation.protocol.partitioning.promoting import PromotionMaster
from gridproof_implementation.protocol.partitioning.publication import Publication
from gridproof_implementation.protocol.partitioning.repair import Repair
from gridproof_implementation.protocol.partitioning.succession import Succession
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.partitioning import PlanMade

REST_US = 3 * SECOND_US
"""How long migration tasks rest after a failure (4.4)."""
REST_MAX_US = 6 * SECOND_US
"""How long at most, when more failures follow (4.4)."""


@dataclass(frozen=True, slots=True)
class RestOver(Timer):
    """Migrations may be tried again."""


@dataclass(frozen=True, slots=True)
class DelayOver(Timer):
    """A member that left has had its time to come back (5.1)."""


@dataclass(frozen=True, slots=True)
class Duties:
    """What a master does, each in a class of its own."""

    publication: Publication
    succession: Succession
    repair: Repair
    promotions: PromotionMaster
    planning: Planning
    migrations: MigrationMaster
    departures: Departures


class Control:
    """When the master does what."""

    def __init__(self, node: Node, table: LocalTable, duties: Duties) -> None:
        self._node = node
        self._table = table
        self._do = duties
        self._is_due = False
        self.pauses = 0
        """Reasons why no migration task runs (4.7)."""
        self._resting_since_us: int | None = None
        self._is_delayed = False
        self._is_held = False
        """Whether the cluster state kept a round from planning."""
        duties.succession.when_done = self.trigger
        duties.promotions.when_done = self.on_promotions_done
        duties.migrations.when_idle = self.on_migrations_idle
        duties.migrations.when_failed = self.rest
        duties.departures.when_asked = self.on_departure_asked

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed: not before joining, in a pause, or in the rest after a failure (4.7)."""
        return self.pauses == 0 and self._resting_since_us is None and self._node.membership.is_joined

    @property
    def is_fetching(self) -> bool:
        """Whether a new master does not have the newest rows yet (2.9)."""
        return self._do.succession.is_required

    @property
    def is_busy(self) -> bool:
        """Whether rows are being fetched, promoted or migrated, or are about to be."""
        do = self._do
        return bool(do.succession.is_required or do.promotions.underway or do.migrations.is_moving)

    @property
    def is_moving(self) -> bool:
        """Whether something moves, or waits to (5.9)."""
        return self.is_busy or (self._is_due and self._node.membership.is_master)

    def trigger(self) -> None:
        """Ask for a round; the plan that is still running ends early."""
        self._is_due = True
        self.proceed()

    def proceed(self) -> None:
        """Do what may be done now."""
        if not self._node.membership.is_master or not self.may_migrate or self._is_delayed:
            return
        do = self._do
        if do.succession.is_required:
            do.succession.begin()
        elif not self._is_due:
            do.migrations.go_on()
        else:
            do.migrations.drop_plan()
            if not self.is_busy:
                self._is_due = False
                self.round()

    def round(self) -> None:
        """Repair the table, and when that is done, plan (2.11)."""
        state = self._node.membership.cluster_state
        self._is_held = not state.allows_migration
        if not self._table.is_initialised or not (state.allows_migration or state.allows_promotion):
            self._do.departures.let_go()
            return
        if self._do.repair.make_holes():
            self._do.publication.publish("repaired")
        wanted = self._do.repair.wanted_promotions()
        if wanted:
            self._do.promotions.begin(wanted)
        else:
            self.repartition()

    def on_promotions_done(self, all_succeeded: bool) -> None:
        """Plan, or where a promotion failed, repair again (5.2, points 5 and 6)."""
        if self._is_due or not all_succeeded:
            self.trigger()
        else:
            self.repartition()

    def repartition(self) -> None:
        """Plan, publish, and begin to migrate; only fill lost partitions where nothing may migrate (4.1, 5.7)."""
        if not self._node.membership.cluster_state.allows_migration:
            if self._do.planning.assign_lost():
                self._do.publication.publish("lost partitions assigned")
            self._do.departures.let_go()
            return
        plan = self._do.planning.plan()
        if plan is not None:
            self._node.emit(PlanMade(plan.migration_count))
            self._do.publication.publish("planned")
        self._do.migrations.begin({} if plan is None else plan.queues)

    def on_departure_asked(self, is_new: bool) -> None:
        """Plan without a member that wants to leave; asked again, see whether it may go (5.5)."""
        if is_new:
            self.trigger()
        else:
            self.proceed()

    def on_migrations_idle(self) -> None:
        """Let go whoever is in no row; begin the round that waits (2.11)."""
        if self._is_due:
            self.proceed()
        elif self._do.departures.leavers:
            self._do.departures.let_go()

    def rest(self) -> None:
        """Pause after a failure, a little longer after another one, then plan again (4.4, point 4)."""
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
        """Plan now, if that was held back (5.7); else a change of state moves nothing (A6)."""
        if self._is_held:
            self.trigger()
        else:
            self.proceed()

    def pause(self) -> None:
        """Allow no migration tasks until as many resumes (4.7)."""
        self.pauses += 1

    def resume(self) -> None:
        """Undo one pause."""
        self.pauses -= 1
        self.proceed()

    def trigger_after_delay(self) -> None:
        """Ask for a round once the rebalance delay is over; the delay postpones promotion, too (5.1)."""
        delay_us = self._node.settings.rebalance_delay_us
        if delay_us > 0:
            self._is_due = self._is_delayed = True
            self._do.migrations.drop_plan()
            self._node.set_timer(DelayOver(), delay_us)
        else:
            self.trigger()

    def on_delay_over(self, _timer: DelayOver) -> None:
        """Begin the round that waited."""
        self._is_delayed = False
        self.proceed()
