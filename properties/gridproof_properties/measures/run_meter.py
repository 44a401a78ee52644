"""All quantities of one run, measured while the run is judged."""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationRecord, Record
from gridproof_properties.measures import staleness, writes
from gridproof_properties.measures.outages import Outages
from gridproof_properties.measures.quantity import Measured
from gridproof_properties.measures.redundancy import Redundancy
from gridproof_properties.measures.traffic import Traffic
from gridproof_properties.measures.writes import History


@dataclass(slots=True)
class RunMeter:
    """Measures all quantities of one run, and keeps the history of the run."""

    traffic: Traffic = field(default_factory=Traffic)
    _history: History = field(default_factory=History)
    _outages: Outages = field(default_factory=Outages)
    _redundancy: Redundancy = field(default_factory=Redundancy)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        self._outages.observe(record)
        if isinstance(record, OperationRecord):
            self._history.observe(record)
        else:
            self._redundancy.observe(record)

    def conclude(self) -> Measured:
        """Return the measurements, each under its name in `QUANTITIES`."""
        return {
            **writes.measure(self._history),
            **staleness.measure(self._history),
            **self.traffic.conclude(),
            **self._outages.conclude(),
            **self._redundancy.conclude(),
        }
