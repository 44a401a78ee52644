"""What is known in a run when a call begins, and how many of its backups may be sync."""

from collections.abc import Collection

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.conditions import Configured
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.operation import Executed, MadeSync
from gridproof_model.language import State
from gridproof_model.trace import RunRecord
from gridproof_properties.refinement.behaviour import runner_of
from gridproof_properties.refinement.calls.observations import OfTargets, configured
from gridproof_properties.refinement.calls.worlds import SizeOfCalls
from gridproof_properties.refinement.known import Known
from gridproof_properties.refinement.step import Step

LOCKS = "lock:"
"""The namespaces of a structure whose backups nobody configures: it has one, and it is sync."""
OF_THE_GRID = "map:__"
"""The namespaces of maps that are the grid's own, as those of jobs: how many backups they have is not recorded."""


class KnownOfCalls(Known):
    """What every member knows, and how the run is configured, as far as calls go; mutable."""

    LEARNED_FROM = Known.LEARNED_FROM | kinds_of(OfTargets | Configured | MadeSync)

    def __init__(self) -> None:
        super().__init__()
        self._backups = 1
        """The most that any structure has."""
        self._retries = 250
        self._serves_stale_reads = True
        self._sync = self._total = 1
        """Backups that are configured."""
        self._removed: dict[int, tuple[int, frozenset[int]]] = {}
        """When each member has got its latest list, and whom it has removed by it."""
        self._made_sync: set[tuple[int, int]] = set()
        """Attempts, by caller and call id."""
        self._is_made_sync = False
        """Whether the latest event of a target is of one of those."""
        self._before_calls: dict[int, tuple[int, SizeOfCalls, State]] = {}
        """By partition, what members knew when a call began last, and how often that had changed."""

    def run_begun(self, record: RunRecord) -> None:
        """Take in how the run is configured."""
        self._backups = max(record.backup_count, 1)

    def take(self, step: Step, event: Event) -> None:
        """Take in what somebody knows, how the run is configured, or that a write waits for all its backups."""
        if isinstance(event, OfTargets):
            attempt = event.caller, event.call_id
            self._is_made_sync = attempt in self._made_sync
            self._made_sync.discard(attempt)
            return
        match event:
            case Configured(retries=retries, stale_reads=stale_reads, sync_backups=sync_backups):
                self._retries, self._serves_stale_reads = retries, stale_reads
                self._sync, self._total = sync_backups, sync_backups + event.async_backups
            case MadeSync(caller=caller, call_id=call_id):
                self._made_sync.add((caller, call_id))
            case MemberListInstalled(members=members):
                gone = frozenset(self.lists.get(step.member, ())).difference(members)
                self._removed[step.member] = step.at_ms, gone
            case _:
                pass
        super().take(step, event)

    def before_call(self, step: Step, partition: int) -> tuple[SizeOfCalls, State]:
        """Return the state in which somebody calls; most calls begin where nothing has changed since the last."""
        if partition not in self._before_calls or self._before_calls[partition][0] != self.changes:
            self._before_calls[partition] = self.changes, *self._without_call(partition)
        _, size, before = self._before_calls[partition]
        at_ms, gone = self._removed.get(step.member, (-1, frozenset()))
        notified_now = gone if at_ms == step.at_ms else frozenset()
        removed = tuple(member in notified_now for member in range(size.members))
        return size, before.replaced({"caller": step.member, "removed": removed})

    def _without_call(self, partition: int) -> tuple[SizeOfCalls, State]:
        size = SizeOfCalls(backups=self._backups, serves_stale_reads=self._serves_stale_reads).among(self.count)
        addresses = tuple(min([member, *self.formers(member)]) for member in range(size.members))
        known = self.of_partition(partition, size.members, size.backups + 1)
        return size, runner_of(size).start.replaced(known | {"budget": self._retries, "address": addresses})

    def sync_of(self, event: Executed) -> Collection[int]:
        """Return how many of the backups of a write may be sync: as configured, where that is known."""
        total = configured(event.versions)
        if self._is_made_sync:
            return (total,)
        if event.namespace.startswith(LOCKS):
            return (min(1, total),)
        is_configured = total == self._total and not event.namespace.startswith(OF_THE_GRID)
        return (self._sync,) if is_configured else range(total + 1)
