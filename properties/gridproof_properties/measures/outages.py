"""Outages after faults, as clients experience them.

An outage of a partition is not seen if no client asks for the partition: therefore a measured outage begins with the
first call that was under way when the fault began, or was made after that, and ends with the end of the first call that
was made since then and succeeded. A call to the partition counts if it was made while clients were at work.
"""

from bisect import bisect_left
from dataclasses import dataclass, field

from gridproof_implementation.simulator.run import is_of_clients
from gridproof_model.events.conditions import FaultBegun
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.measures.quantity import Histogram, Measured, count, histogram

LASTING = frozenset({"loss", "lag"})
"""The faults that are in effect all the time."""
QUANTITIES = (
    count("faults", "Faults that began while clients were at work, loss and lag of the whole network apart."),
    histogram(
        "unavailable_ms",
        "A fault and a partition that was asked for: from the first call that was under way or asked for since the "
        "fault to the end of the first one asked for since then that succeeded.",
        "ms",
    ),
    count("unavailable_to_the_end", "A fault and a partition: no call that was asked for since then succeeded."),
)


@dataclass(slots=True)
class Outages:
    """Keeps the calls to each partition, and when each fault began."""

    faults_ms: list[int] = field(default_factory=list)
    calls: dict[int, list[OperationRecord]] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, OperationRecord):
            if (
                record.partition is not None
                and is_of_clients(record.stage)
                and record.kind is not OperationKind.DESTROY
            ):
                self.calls.setdefault(record.partition, []).append(record)
        elif (
            isinstance(record, EventRecord)
            and isinstance(record.event, FaultBegun)
            and record.event.fault not in LASTING
        ):
            self.faults_ms.append(record.at_ms)

    def conclude(self) -> Measured:
        """Return the measured quantities."""
        took, endless = Histogram(), 0
        for calls in self.calls.values():
            calls.sort(key=lambda one: one.start_ms)
            starts = [one.start_ms for one in calls]
            for fault_ms in self.faults_ms:
                place = bisect_left(starts, fault_ms)
                waiting = [fault_ms for one in calls[:place] if one.end_ms > fault_ms]
                since = calls[place:]
                if not since and not waiting:
                    continue
                answered = min((one.end_ms for one in since if one.outcome is Outcome.OK), default=None)
                if answered is None:
                    endless += 1
                else:
                    took.add(max(0, answered - (waiting or [since[0].start_ms])[0]))
        return {"faults": len(self.faults_ms), "unavailable_ms": took, "unavailable_to_the_end": endless}
