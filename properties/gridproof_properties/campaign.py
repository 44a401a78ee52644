"""Simulated runs, judged.

A run is simulated and judged record by record, in memory that does not grow with its length. Table judges see the
records as they are; judges of histories see what an acknowledgement was worth: one that came with fewer copies than
sync backups are asked for promises nothing (reference replication 11 N3), so its outcome counts as unknown.
"""

import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gridproof_implementation.simulator.run import RunEnd, simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_implementation.simulator.work_limit import EndlessWork
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RunRecord,
    VerdictRecord,
    ViewRecord,
)
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers import acknowledgement, durability, reads
from gridproof_properties.circumstances import EXCUSES, STEPS_JUDGED, Witness
from gridproof_properties.judge import Panel, Property
from gridproof_properties.refinement import NOTES_READ, REFINEMENTS
from gridproof_properties.simulated import SIMULATED, STEPPED, STEPS_WATCHED
from gridproof_properties.simulated.jobs import JOB_ASKED, JOB_SEEN
from gridproof_properties.simulated.locks import BACKUPS as LOCK_BACKUPS
from gridproof_properties.simulated.rest import SETTLED, UNSETTLED
from gridproof_properties.simulated.stillness import STILL
from gridproof_properties.verdict import PromiseLevel, Result, Verdict

Sink = Callable[[Record], None]

HISTORIES: tuple[Property, ...] = (
    *durability.PROPERTIES,
    *reads.PROPERTIES,
    *acknowledgement.PROPERTIES,
    *SIMULATED,
)
"""Judged on weakened records."""
PLAIN: tuple[Property, ...] = tuple(prop for prop in CATALOGUE if prop not in HISTORIES)
"""Judged on the records as they are."""
REFINED: tuple[Property, ...] = (*REFINEMENTS, *STEPPED)
"""Judged step by step."""
JUDGE_FAILED = "the judge itself failed"
SEEN_BY_ALL = (SETTLED, UNSETTLED, JOB_ASKED, JOB_SEEN)
"""The events that are no steps of the protocol, and no faults."""
CHANGING = frozenset(OperationKind) - {
    OperationKind.READ,
    OperationKind.READ_REPLICA,
    OperationKind.READ_BACKUP,
    OperationKind.CONTAINS,
    OperationKind.SIZE,
    OperationKind.ASK_SAFE,
    OperationKind.POLL,
    OperationKind.UNLOCK,
}
"""What has to be kept: a value that was polled and comes back is the business of other properties."""
REFINED_EVERY = 8
"""One in so many seeds is held against the specifications, step by step: that takes several times a run."""
NO_MEMBER_FAILS = "no-member-fails"
"""Held to in every run: a member handles whatever comes, in whatever order, without an error of its own."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One run and what was found."""

    scenario: Scenario
    end: RunEnd
    verdicts: tuple[Verdict, ...]
    """Of the properties that simulated runs are held to."""

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """What was owed and is broken."""
        return tuple(v for v in self.verdicts if v.result is Result.BROKEN and v.promise is PromiseLevel.PROMISED)

    @property
    def failed_judges(self) -> tuple[Verdict, ...]:
        """Verdicts of judges that failed themselves: never green."""
        return tuple(v for v in self.verdicts if v.result is Result.UNKNOWN and v.sentence.startswith(JUDGE_FAILED))


def judge_scenario(
    scenario: Scenario,
    sink: Sink | None = None,
    scripts: Iterable[Script] | None = None,
    refined: bool | None = None,
) -> JudgedRun:
    """Simulate a scenario and judge it; every record goes to `sink`, the verdicts behind them.

    Whether its steps are held against the specifications, too, is `refined`; where nobody says, they are when a trace
    is written, and for one in `REFINED_EVERY` seeds.
    """
    if refined is None:
        refined = sink is not None or scenario.seed % REFINED_EVERY == 0
    bench = _Bench(scenario, sink, refined)
    told = STEPS_JUDGED | NOTES_READ | STEPS_WATCHED if refined else STEPS_JUDGED
    try:
        end = simulate(scenario, bench.take, scripts, told=told if sink is None else None)
    except EndlessWork as endless:
        end = RunEnd(bench.name, 0, 0, 0, str(endless))
        return JudgedRun(scenario, end, (Verdict(NO_MEMBER_FAILS, Result.BROKEN, str(endless), (str(endless),)),))
    except Exception as error:  # a member that fails is a finding like any other, and the next run goes on
        end = RunEnd(bench.name, 0, 0, 0, "a member failed")
        return JudgedRun(scenario, end, (_tell_failure(error),))
    verdicts = (Verdict(NO_MEMBER_FAILS, Result.HOLDS, "every input was handled"), *bench.conclude())
    if sink is not None:
        for verdict in verdicts:
            words = (verdict.result.value, verdict.promise.value, verdict.sentence)
            sink(VerdictRecord(end.run, verdict.property, *words, verdict.witness))
    return JudgedRun(scenario, end, verdicts)


def _tell_failure(error: Exception) -> Verdict:
    """Return what a member's own failure comes to."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    sentence = f"{type(error).__name__} in {Path(place.filename).stem}.{place.name}: {error}"
    return Verdict(NO_MEMBER_FAILS, Result.BROKEN, sentence, (sentence,))


@dataclass(slots=True)
class _Bench:
    """Shows each record to whom it concerns."""

    scenario: Scenario
    sink: Sink | None
    refined: bool
    name: str = ""
    _plain: Panel = field(init=False)
    _histories: Panel = field(init=False)
    _refinements: Panel = field(init=False)
    _witness: Witness = field(init=False)
    _weaken: "Weakening" = field(init=False)

    def __post_init__(self) -> None:
        self._plain = Panel(_held_to(PLAIN), {})
        self._histories = Panel(_held_to(HISTORIES), {})
        self._refinements = Panel(_held_to(REFINED) if self.refined else (), {})
        self._witness = Witness(self.scenario)
        self._weaken = Weakening(self.scenario.sync_backups, self.scenario.groups)

    def take(self, record: Record) -> None:
        self.name = record.run
        if self.sink is not None:
            self.sink(record)
        self._witness.observe(record)
        self._refinements.observe(record)
        if isinstance(record, EventRecord) and record.name not in SEEN_BY_ALL:
            return  # a step of the protocol: there are many, and no other judge looks at them
        if not (isinstance(record, DigestRecord) and record.stage == STILL):
            self._plain.observe(record)
        self._histories.observe(self._weaken.weaken(record))

    def conclude(self) -> tuple[Verdict, ...]:
        promises = self._witness.promises()
        verdicts = (*self._plain.conclude(), *self._histories.conclude(), *self._refinements.conclude())
        return tuple(replace(verdict, promise=promises[verdict.property]) for verdict in verdicts)


@dataclass(slots=True)
class Weakening:
    """Turns what clients were told into what they may rely on."""

    sync_backups: int
    groups: int
    """Partition groups at the latest rest, before it those of the beginning: there cannot be more copies."""
    _written_ms: dict[str, int] = field(default_factory=dict)
    """When the last change of a key ended."""
    _present: dict[int, str] = field(default_factory=dict)
    """Groups of the data members that are there, by number."""

    def weaken(self, record: Record) -> Record:
        """Return the record as judges of histories are to see it."""
        match record:
            case RunRecord():
                return replace(record, backup_count=min(self.sync_backups, self.groups - 1))
            case ViewRecord(settled=True):
                self.groups = len({record.groups[member] for member in record.data_members})
            case MemberRecord():
                return self._weaken_change(record)
            case OperationRecord():
                return replace(record, outcome=Outcome.UNKNOWN) if self._is_worth_nothing(record) else record
            case _:
                pass
        return record

    def _weaken_change(self, record: MemberRecord) -> MemberRecord:
        """Return a departure as a crash, where too few groups stay for as many copies: one is gone for good."""
        if record.change is MemberChange.JOINED:
            if not record.lite:
                self._present[record.member] = record.group
            return record
        known = self._present.pop(record.member, None)
        short = len(set(self._present.values())) < 1 + self.sync_backups
        return replace(record, change=MemberChange.CRASHED) if known is not None and short else record

    def _is_worth_nothing(self, operation: OperationRecord) -> bool:
        """Whether an answer vouches for too few copies, or is a read that overlapped a change: it may be older."""
        if operation.kind in CHANGING:
            self._written_ms[operation.key] = operation.end_ms
            copies = operation.confirmed_copies or 0
            return operation.outcome is Outcome.OK and copies < self._owed(operation.kind)
        overlaps = operation.start_ms <= self._written_ms.get(operation.key, -1)
        return operation.kind is OperationKind.READ and operation.outcome is Outcome.OK and overlaps

    def _owed(self, kind: OperationKind) -> int:
        """Return how many copies an acknowledgement must vouch for."""
        backups = LOCK_BACKUPS if kind is OperationKind.LOCK else self.sync_backups
        return min(1 + backups, max(self.groups, 1))


def _held_to(properties: Sequence[Property]) -> list[Property]:
    return [prop for prop in properties if prop.name in EXCUSES]
