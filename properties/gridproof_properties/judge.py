"""What a property is, and how a trace is judged.

A property is judged by folding over the records of one run, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `CATALOGUE` in
`catalogue.py` lists them all. The Spark jobs of `gridproof_reports` judge the same properties over any number of runs;
on the same trace their results are equal, and a test holds them so.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gridproof_model.trace import RECORD_KINDS, EventRecord, OperationRecord, Record
from gridproof_properties.conditions import RunConditions
from gridproof_properties.guarantee import Comparisons, Finding, Limit
from gridproof_properties.verdict import PromiseLevel, Reason, Result, Verdict

__all__ = ["Finding", "Judge", "Limit", "Panel", "Property", "judge_run"]


class Judge(Protocol):
    """One property watching one run."""

    def observe(self, record: Record) -> None:
        """Take in the next record; kinds the property does not care about are passed over."""
        ...

    def conclude(self) -> "Finding":
        """Say what was found; called once, after the last record."""
        ...


@runtime_checkable
class EventReader(Protocol):
    """A judge that names the events it reads: no other event has to be shown to it."""

    def watched(self) -> frozenset[str]:
        """Return their names."""
        ...


@runtime_checkable
class Comparing(Protocol):
    """A judge whose comparisons are counted, in scope and out of it."""

    comparisons: Comparisons


@dataclass(frozen=True, slots=True)
class Property:
    """A statement about runs that can be judged."""

    name: str
    """In the words of the field, with hyphens: "one-replica-per-member"."""
    sentence: str
    """What holds of every good run, in one sentence."""
    source: str
    """Where that is said: a seed, or a section of the reference and its own name there."""
    start: Callable[[], Judge]
    """Makes a fresh judge for one run."""
    needs: frozenset[str] = frozenset()
    """Records without any of which a run was not looked at: kinds ("digest"), operations ("operation append"), events
    ("event executed"). Empty where a run of any kind will do."""
    limits: tuple[Limit, ...] = ()
    """What takes the promise away, for a partition, while it lasts."""


_Reader = tuple[str, Callable[[Record], None]]
"""A property's name, and what shows a record to its judge."""


class Panel:
    """One judge per property, watching a run as it happens.

    A judge that raises is unknown with the reason. A property the subject's promises do not name has promise NONE.
    """

    def __init__(self, properties: Sequence[Property], promises: Mapping[str, PromiseLevel]) -> None:
        self._promises = promises
        self.conditions = RunConditions()
        self._judges: list[tuple[Property, Judge]] = [(prop, self._start(prop)) for prop in properties]
        self._seen: set[str] = set()
        """What there was of the records that some property needs."""
        self._everybody: list[_Reader] = [(prop.name, judge.observe) for prop, judge in self._judges]
        self._watched = {prop.name: judge.watched() for prop, judge in self._judges if isinstance(judge, EventReader)}
        """The events that judges read who do not read all."""
        self._readers: dict[str, list[_Reader]] = {}
        """Who reads an event of a name, once one has been seen."""
        self._crashed: dict[str, Finding] = {}

    def observe(self, record: Record) -> None:
        """Show the next record to every judge that it may concern."""
        self.conditions.observe(record)
        self._seen.add(need_met_by(record))
        readers = self._everybody
        if isinstance(record, EventRecord):
            known = self._readers.get(record.name)
            readers = self._readers_of(record.name) if known is None else known
        for name, observe in readers:
            try:
                observe(record)
            except Exception as error:  # a crashed judge must never look green
                self._dismiss(name, error)

    def conclude(self) -> tuple[Verdict, ...]:
        """Return one verdict per property, in their order; called once, after the last record."""
        return tuple(self._verdict(prop, judge) for prop, judge in self._judges)

    def _start(self, prop: Property) -> Judge:
        judge = prop.start()
        if isinstance(judge, Comparing):
            judge.comparisons.limits, judge.comparisons.conditions = prop.limits, self.conditions
        return judge

    def _readers_of(self, event: str) -> list[_Reader]:
        watched = self._watched
        readers = self._readers[event] = [r for r in self._everybody if r[0] not in watched or event in watched[r[0]]]
        return readers

    def _dismiss(self, name: str, error: Exception) -> None:
        """Show nothing more to a judge that has failed."""
        self._crashed[name] = _crashed(error)
        self._everybody = [reader for reader in self._everybody if reader[0] != name]
        self._readers.clear()

    def _verdict(self, prop: Property, judge: Judge) -> Verdict:
        try:
            finding = self._crashed.get(prop.name) or judge.conclude()
        except Exception as error:  # as above
            finding = _crashed(error)
        return verdict_of(prop, finding, self._promises.get(prop.name, PromiseLevel.NONE), self._seen)


def judge_run(
    records: Iterable[Record],
    properties: Sequence[Property],
    promises: Mapping[str, PromiseLevel],
) -> tuple[Verdict, ...]:
    """Return one verdict per property over the records of one run, read once."""
    panel = Panel(properties, promises)
    for record in records:
        panel.observe(record)
    return panel.conclude()


def verdict_of(prop: Property, finding: Finding, promise: PromiseLevel, seen: Collection[str]) -> Verdict:
    """Return a finding beside the promise, with a reason where it is unknown; `seen` are the needs that were met."""
    reason = finding.reason
    if finding.result is Result.UNKNOWN:
        if prop.needs and prop.needs.isdisjoint(seen):
            reason = Reason.NOT_LOOKED_AT
        reason = reason or Reason.NEVER_MET
    return Verdict(
        prop.name,
        finding.result,
        finding.sentence,
        finding.witness,
        promise,
        finding.compared,
        reason,
        finding.out_of_scope,
    )


def need_met_by(record: Record) -> str:
    """Return what a property may need that this record is."""
    match record:
        case OperationRecord():
            return f"operation {record.kind}"
        case EventRecord():
            return f"event {record.name}"
        case _:
            return _KINDS[type(record)]


_KINDS = {kind: word for word, kind in RECORD_KINDS.items()}


def _crashed(error: Exception) -> Finding:
    told = f"the judge itself failed: {type(error).__name__}: {error}"
    return Finding(Result.UNKNOWN, told, reason=Reason.JUDGE_FAILED)
