"""What a property is, and how a trace is judged.

A property is judged by folding over the records of one run, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `CATALOGUE` in
`catalogue.py` lists them all. The Spark jobs of `gridproof_reports` judge the same properties over any number of runs;
on the same trace their results are equal, and a test holds them so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gridproof_model.trace import EventRecord, Record
from gridproof_properties.verdict import PromiseLevel, Result, Verdict


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


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge found, before the subject's promise is put beside it."""

    result: Result
    sentence: str
    witness: tuple[str, ...] = ()


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


_Reader = tuple[str, Callable[[Record], None]]
"""A property's name, and what shows a record to its judge."""


class Panel:
    """One judge per property, watching a run as it happens.

    A judge that raises is unknown with the reason. A property the subject's promises do not name has promise NONE.
    """

    def __init__(self, properties: Sequence[Property], promises: Mapping[str, PromiseLevel]) -> None:
        self._promises = promises
        self._judges: list[tuple[Property, Judge]] = [(prop, prop.start()) for prop in properties]
        self._everybody: list[_Reader] = [(prop.name, judge.observe) for prop, judge in self._judges]
        self._watched = {prop.name: judge.watched() for prop, judge in self._judges if isinstance(judge, EventReader)}
        """The events that judges read who do not read all."""
        self._readers: dict[str, list[_Reader]] = {}
        """Who reads an event of a name, once one has been seen."""
        self._crashed: dict[str, Finding] = {}

    def observe(self, record: Record) -> None:
        """Show the next record to every judge that it may concern."""
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
        promise = self._promises.get(prop.name, PromiseLevel.NONE)
        return Verdict(prop.name, finding.result, finding.sentence, finding.witness, promise)


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


def _crashed(error: Exception) -> Finding:
    return Finding(Result.UNKNOWN, f"the judge itself failed: {type(error).__name__}: {error}")
