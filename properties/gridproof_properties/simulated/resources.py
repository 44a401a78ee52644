"""What members have taken comes back.

Permits, places, registrations: at rest each count is what it was when the member began, 0. Calls of the members' own
(locks of the dead are released, for instance) and syncs that wait for an answer that was lost may last into a rest; the
steps of the protocol show those, where they are recorded. What a job holds is told, and not judged: one may go on. A
question how safe data is goes on for its time where somebody does not answer, whether its client is still there or not.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.event_details import read_list
from gridproof_model.trace import EventRecord, MemberRecord, OperationKind, OperationRecord, Record
from gridproof_properties.judge import Property
from gridproof_properties.step_judge import StepJudge, Told

RESOURCES = "resources"
BEGUN, ENDED = "call-begun", "call-ended"
REQUESTED, INSTALLED, SYNC_ENDED = "sync-requested", "sync-installed", "sync-ended"
STEPS = frozenset({BEGUN, ENDED, REQUESTED, INSTALLED, SYNC_ENDED})
WATCHED = STEPS | {RESOURCES}
OF_CALLS = ("calls", "attempts", "calls_outside")
"""At most one of each for a call under way."""
OF_SYNCS = "sync_permits"
OF_JOBS = ("executions", "job_questions")
OF_CHECKS, OF_QUESTIONS = "safe_checks", "safe_questions"
CHECK_LASTS_MS = 20_000
"""A member that asked how safe it is asks its master and then its backups, 10 s each (reference replication 6.2)."""


@dataclass(slots=True)
class _ResourceJudge(StepJudge):
    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord, OperationRecord})
    calls: Counter[int | None] = field(default_factory=Counter)
    """Under way, by member."""
    syncs: Counter[int | None] = field(default_factory=Counter)
    """Fragments asked for and not ended, by member."""
    steps_told: bool = False
    asked_ms: int | None = None
    """When somebody was asked last how safe data is."""

    def observe(self, record: Record) -> None:
        if isinstance(record, OperationRecord):
            if record.kind is OperationKind.ASK_SAFE:
                self.asked_ms = max(record.start_ms, self.asked_ms or 0)
        else:
            StepJudge.observe(self, record)

    @staticmethod
    def watched() -> frozenset[str]:
        return WATCHED

    def look(self, event: EventRecord, told: Told) -> str | None:
        match event.name:
            case name if name == BEGUN:
                self.calls[event.member] += 1
            case name if name == ENDED:
                self.calls[event.member] -= 1
            case name if name == REQUESTED:
                self.syncs[event.member] += len(read_list(told["namespaces"]))
            case name if name == RESOURCES:
                return self._compare(event, told) if told["settled"] == "true" else None
            case _:
                self.syncs[event.member] -= 1
        self.steps_told = True
        return None

    def _compare(self, event: EventRecord, told: Told) -> str | None:
        self.looked += 1
        left = [
            f"{count} {name.replace('_', ' ')}"
            for name, count in told.items()
            if name != "settled" and int(count) > self._under_way(event, name, int(count))
        ]
        return f"the grid is at rest, and member {event.member} keeps {', '.join(left)}" if left else None

    def _under_way(self, event: EventRecord, name: str, count: int) -> int:
        """Return how many of a kind may be taken for what is under way."""
        member = event.member
        if name in (OF_CHECKS, OF_QUESTIONS):
            return count if self._may_ask(event.at_ms, name) else 0
        if name in OF_JOBS or (not self.steps_told and name in (OF_SYNCS, *OF_CALLS)):
            return count
        if name == OF_SYNCS:
            return self.syncs[member]
        return self.calls[member] if name in OF_CALLS else 0

    def _may_ask(self, at_ms: int, name: str) -> bool:
        """Whether a question how safe data is may still be open."""
        configured = self.comparisons.conditions.configured
        waits_ms = 0 if name == OF_CHECKS or configured is None else configured.leave_wait_ms
        lasts_ms = max(CHECK_LASTS_MS, waits_ms)
        return self.asked_ms is not None and at_ms <= self.asked_ms + lasts_ms

    def gone(self, member: int) -> None:
        del self.calls[member], self.syncs[member]


RESOURCES_RETURN = Property(
    name="resources-return",
    sentence="At rest a member has given back every permit, place and registration that it has taken.",
    source="reference replication 11 L3, L4; bug-zoo R6",
    start=_ResourceJudge,
    needs=frozenset({f"event {RESOURCES}"}),
)
PROPERTIES: tuple[Property, ...] = (RESOURCES_RETURN,)
