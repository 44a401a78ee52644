"""Whether members stay within the numbers that are configured.

Fragments asked for at once, migrations that one member copies or receives at once, calls under way, attempts of a
call: at no step are there more. That all of them are given back is of another property. Needs every step in the
records; keeps what is under way.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.anti_entropy import SyncEnded, SyncInstalled, SyncRequested
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.migration import MigrationEnded, MigrationOrdered
from gridproof_model.events.partitioning import FetchBegun
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge

OfSyncs = SyncRequested | SyncInstalled | SyncEnded
OfCalls = AttemptSent | AttemptFailed | CallEnded
Limited = OfSyncs | OfCalls | MigrationOrdered | MigrationEnded | FetchBegun
SYNCS, CALLS = "fragments asked for", "calls under way"


@dataclass(slots=True)
class _LimitJudge(StepJudge[Limited]):
    RELIES_ON = frozenset({Configured})
    COUNTED = "{failed} of {compared:step} passed a configured number"
    UNSEEN = "nothing was begun of which a number is configured"
    taken: defaultdict[int | None, defaultdict[str, set[object]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    """What is under way, by member and in words."""

    def look(self, record: EventRecord, event: Limited) -> str | None:
        configured, taken = self.comparisons.conditions.configured, self.taken[record.member]
        if configured is None:
            return None
        match event:
            case SyncRequested(partition=partition, index=index, namespaces=namespaces):
                taken[SYNCS] |= {(partition, index, namespace) for namespace in namespaces}
                return self._compare(record, SYNCS, configured.syncs_max)
            case SyncInstalled() | SyncEnded():
                taken[SYNCS].discard((event.partition, event.index, event.namespace))
            case MigrationOrdered(primary=primary, destination=destination, number=number):
                for who in {f"copied by member {primary}", f"received by member {destination}"}:
                    taken[f"migrations {who}"].add(number)
                    if (story := self._compare(record, f"migrations {who}", configured.migrations_max)) is not None:
                        return story
            case MigrationEnded(number=number):
                for numbers in taken.values():
                    numbers.discard(number)
            case FetchBegun():  # a new master hears how those ended that it had ordered before
                self.taken.pop(record.member)
            case CallEnded(invocation=invocation):
                taken[CALLS].discard(invocation)
            case (
                AttemptSent(invocation=invocation, attempt=attempt)
                | AttemptFailed(invocation=invocation, attempt=attempt)
            ):
                taken[CALLS].add(invocation)
                if attempt > max(configured.retries, 1):
                    return f"member {record.member} made attempt {attempt} of a call; {configured.retries} may be made"
                return self._compare(record, CALLS, configured.calls_max)
            case _:
                assert_never(event)
        return None

    def _compare(self, record: EventRecord, what: str, most: int) -> str | None:
        if most == 0:
            return None
        self.looked += 1
        number = len(self.taken[record.member][what])
        return f"member {record.member} had {number} {what}, and {most} are configured" if number > most else None

    def gone(self, member: int) -> None:
        self.taken.pop(member, None)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="configured-limits-are-kept",
        sentence="No more is under way at once than is configured: syncs, migrations of one member, calls, attempts.",
        source="sync.9, migration.3, calls.15, calls.26",
        severity=Severity.PROTOCOL,
        start=_LimitJudge,
    ),
)
