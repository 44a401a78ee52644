"""A panel of judges watches a run.

There is one judge per property, and each judge is shown the records that it reads. The Spark jobs of
`gridproof_reports` give the same verdicts on the same trace, which a test checks.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from gridproof_model.events import CONDITIONS, EVENTS, NAMES, Event
from gridproof_model.events.conditions import HeldTo
from gridproof_model.events.harness import AuditStopped, JobAsked, MemberFailed
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Admission
from gridproof_model.trace import (
    RECORD_KINDS,
    EventRecord,
    OperationKind,
    OperationRecord,
    Record,
    RowRecord,
    VerdictRecord,
    ViewRecord,
)
from gridproof_properties.judging import guarantee
from gridproof_properties.judging.acknowledged import Ledger, ReadJudge
from gridproof_properties.judging.conditions import READ, READ_OF_SETTINGS, RunConditions
from gridproof_properties.judging.judge import OF_ROWS, Judge, Property
from gridproof_properties.judging.left_out import JUDGED, SIGNS, find_left_out, sign_of
from gridproof_properties.judging.row_batch import RowBatch, RowBuffer
from gridproof_properties.judging.scene import TABLE_RECORDS, SettledTable
from gridproof_properties.judging.verdict import OutOfScope, PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record
from gridproof_properties.judging.words import count, in_one_sentence

STOPPED_EARLY = "nothing is concluded, as the run stopped before its end"
_UNTIL_THEN = "; until then, "
"""The words between the reason why a run stopped early and the verdict on the part of the run before that."""
_ON_CONDITIONS: frozenset[type[TraceEvent]] = CONDITIONS | {JobAsked}
"""The events that may suspend any promise."""
WAITING_MAX = 8_000
"""After how many records patient judges are shown their records, one judge after the other: each judge works on much
data of its own, and changing judges at every record takes a tenth longer (`python -m benchmarks trace_validation`)."""
_SIGN = "a sign"
"""The name of the reader of signs, which reads records beside the judges and is itself no judge."""
_Reader = tuple[str, Callable[[Record], None]]
"""A property's name, and the function that shows a record to its judge."""


class Panel:
    """One judge per property, all of which watch a run as it happens.

    If a judge raises an error, the verdict is unknown, with the error as its reason. If the promises of the system do
    not name a property, its promise is NONE. A recorded run may lack kinds of records: a failure that may come from
    such a lack does not count, unless the program that watched the run found it, too.
    """

    def __init__(
        self,
        properties: Sequence[Property],
        promises: Mapping[str, PromiseLevel],
        *,
        is_recorded: bool = False,
        admits: Admission = Admission.HAZELCAST,
    ) -> None:
        self._promises = promises
        self.conditions = RunConditions(admits=admits)
        self._ledger: Ledger | None = None
        """The acknowledged writes, with which several judges compare reads."""
        self._judges: list[tuple[Property, Judge]] = [(prop, self._start(prop)) for prop in properties]
        self._watching = {prop.name: judge for prop, judge in self._judges}
        """The judges that have raised no error, by the names of their properties."""
        self.stopped: str | None = None
        """Why the run stopped before its end; None if it did not."""
        self._watchers: dict[type[TraceEvent], list[str]] = {}
        """For each type of event, the properties whose judges read it."""
        for prop, judge in self._judges:
            for watched in judge.WATCHED:
                self._watchers.setdefault(watched, []).append(prop.name)
        self._is_recorded = is_recorded
        self._accused: set[str] = set()
        """The properties of a recorded run that are broken according to the verdicts recorded in it."""
        self._met: set[str] = set()
        """The types of events, kinds of records and kinds of operations seen so far."""
        self._waiting = {prop.name: deque[Record]() for prop, judge in self._judges if judge.IS_PATIENT}
        """For each property, the records that its patient judge has not been shown yet."""
        self._since_shown = 0
        """How many records with a reader came since patient judges were last shown their records."""
        self._readers: dict[type[TraceEvent | Record], list[_Reader]] = {}
        """The readers of each type of event or record seen so far."""
        self._operation_readers: dict[OperationKind, list[_Reader]] = {}
        """The readers of each kind of operation seen so far."""
        self._of_tables = [
            (prop.name, judge) for prop, judge in self._judges if type(judge).look_at is not Judge.look_at
        ]
        self._of_rows = [(prop.name, judge) for prop, judge in self._judges if _looks_at_rows(judge)]
        self._rows = RowBuffer(self.conditions.scene)
        """The rows that will be shown next to the judges that read rows."""
        self._buffered = TABLE_RECORDS if self._of_rows else frozenset[type[Record]]()
        looks = self._of_tables or self._of_rows
        are_asked = looks or any(judge.COUNTS or prop.limits for prop, judge in self._judges)
        self._of_conditions = READ if are_asked else READ_OF_SETTINGS
        """The records from which conditions are read: only those on set-up and faults if no property needs others."""
        self._passed_over: set[type[TraceEvent | Record]] = set()
        """Types seen so far that have no reader, and are skipped; the readers of operations depend on their kind."""
        self._only_waiting: dict[type[TraceEvent | Record], list[Callable[[Record], None]]] = {}
        """Types of events that only patient judges read, each with the functions that keep a record for these
        judges."""
        self._crashed: dict[str, guarantee.Finding] = {}

    def observe(self, record: Record) -> None:
        """Show the next record to every judge that reads it; the verdicts of a recorded run are used, too."""
        kind: type[TraceEvent | Record] = record.kind if isinstance(record, EventRecord) else type(record)
        if self._is_recorded and isinstance(record, VerdictRecord):
            self._hear(verdict_of_record(record))
        if kind in self._passed_over:
            return
        if (waiting := self._only_waiting.get(kind)) is not None:
            for wait in waiting:
                wait(record)
            self._count_read()
            return
        if kind in self._of_conditions:
            self.conditions.observe(record)
        if kind in self._buffered:
            if self._rows.is_full and kind is ViewRecord:
                self._look_at_waiting()
            self._rows.observe(record)
        readers = self._readers.get(kind)
        if readers is None:
            readers = self._readers_of(kind)
            self._met.add(_SAID[kind])
            if isinstance(record, EventRecord):
                self._stop(record.event)
        if kind is HeldTo:
            for prop, judge in self._judges:
                judge.comparisons.limits = self._limits_of(prop)
        if kind is OperationRecord:
            readers = self._readers_of_operation(record, readers)
        for name, observe in readers:
            try:
                observe(record)
            except Exception as error:  # a crashed judge must never look green
                self._dismiss(name, error, _described(record))
        if kind is RowRecord and (table := self.conditions.rest.completed) is not None:
            self._show(table)
        self._count_read()

    def _count_read(self) -> None:
        self._since_shown += 1
        if self._since_shown == WAITING_MAX:
            self._since_shown = 0
            for name in self._waiting:
                self._show_waiting(name)

    def _show_waiting(self, name: str) -> None:
        """Show a judge the records that wait for it."""
        waiting, judge = self._waiting.get(name), self._watching.get(name)
        if not waiting or judge is None:
            return
        record, observe = waiting[0], judge.observe
        try:
            while waiting:
                observe(record := waiting.popleft())
        except Exception as error:  # as above
            self._dismiss(name, error, _described(record))

    def _hear(self, said: Verdict) -> None:
        """Use a verdict that was recorded when the run was watched."""
        if said.result is Result.BROKEN:
            self._accused.add(said.property)
        if said.result is not Result.UNKNOWN:
            self._met.add(JUDGED)

    def _show(self, table: SettledTable) -> None:
        """Show a whole table to the judges that look at tables."""
        for name, judge in list(self._of_tables):
            try:
                judge.look_at(table, self.conditions.scene)
            except Exception as error:  # as above
                self._dismiss(name, error)

    @property
    def asked(self) -> frozenset[OperationKind]:
        """Which kinds of operations were seen in the run."""
        return frozenset(kind for kind in OperationKind if f"operation {kind}" in self._met)

    def look_at_rows(self, batch: RowBatch) -> None:
        """Show table rows, as columns, to the judges that look at rows."""
        for name, judge in list(self._of_rows):
            try:
                judge.look_at_rows(batch)
            except Exception as error:  # as above
                self._dismiss(name, error)

    def _look_at_waiting(self, *, is_over: bool = True) -> None:
        try:
            batch = self._rows.take(is_over=is_over)
        except Exception as error:  # as above, for instance at a number that no trace may have
            for name, _ in list(self._of_rows):
                self._dismiss(name, error)
        else:
            if batch is not None:
                self.look_at_rows(batch)

    def _stop(self, event: Event) -> None:
        if isinstance(event, AuditStopped):
            self.stopped = event.why
        elif isinstance(event, MemberFailed):
            self.stopped = event.error

    def has_failed(self) -> bool:
        """Whether some comparison in scope has failed so far; judges that compare only at the end have no failure
        before."""
        self._look_at_waiting(is_over=False)
        return any(judge.comparisons.failed for _, judge in self._judges)

    def conclude(self) -> tuple[Verdict, ...]:
        """Return one verdict per property, in their order; called once, after the last record."""
        self._look_at_waiting()
        return tuple(self._verdict(prop, judge) for prop, judge in self._judges)

    def broken_in_calm(self) -> dict[str, guarantee.Finding]:
        """Return, by property, the failures in calm parts of the run: before its faults, or after recovery from
        them."""
        failed = [(prop, judge, judge.comparisons) for prop, judge in self._judges if judge.comparisons.calm]
        return {
            prop.name: guarantee.broken(
                found.calm_witness,
                f"this was seen {count(found.calm, 'time')} while no fault was in effect",
                found.calm,
            )
            for prop, judge, found in failed
            if self.stopped is None and self._left_out(prop, judge) is None
        }

    def findings(self) -> dict[str, guarantee.Finding]:
        """Return what was found so far about each property, by its name."""
        return {prop.name: self._find(prop, judge) for prop, judge in self._judges}

    def break_off(self, why: str) -> tuple[Verdict, ...]:
        """Return the verdicts on a run that stopped early; if it was interrupted twice, they have no sentences."""
        self.stopped, found = why, list[Verdict]()
        with suppress(KeyboardInterrupt):
            self._look_at_waiting()
        while len(found) < len(self._judges):
            prop, judge = self._judges[len(found)]
            try:
                found.append(self._verdict(prop, judge))
            except KeyboardInterrupt:
                finding = guarantee.Finding(Result.UNKNOWN, f"{STOPPED_EARLY}: {why}", reason=Reason.UNDECIDED)
                promise = self._promises.get(prop.name, PromiseLevel.NONE)
                found.append(verdict_of(prop, finding, promise, self._met))
        return tuple(found)

    def _start(self, prop: Property) -> Judge:
        judge = prop.start()
        judge.comparisons.name, judge.comparisons.conditions = prop.name, self.conditions
        judge.comparisons.is_timeless = prop.is_timeless
        judge.comparisons.limits = self._limits_of(prop)
        if isinstance(judge, ReadJudge):
            self._ledger = self._ledger or judge.ledger
            judge.share(self._ledger)
        return judge

    def comparisons_of(self, prop: Property) -> guarantee.Comparisons:
        """Return the comparisons of a property, still empty, under the conditions of this run."""
        return guarantee.Comparisons(self._limits_of(prop), self.conditions, prop.name, is_timeless=prop.is_timeless)

    def admit(self, effects: Mapping[str, Sequence[guarantee.Span]]) -> None:
        """Receive, by property, when admitted weaknesses were in effect; used by a panel that is shown rows alone."""
        for prop, judge in self._judges:
            judge.comparisons.effects = effects.get(prop.name)

    def take_unadmitted(self) -> dict[str, tuple[str, ...]]:
        """Return and clear, by property, the story of the first failure that no admitted weakness covers."""
        taken = {prop.name: judge.comparisons.unadmitted for prop, judge in self._judges}
        for _, judge in self._judges:
            judge.comparisons.unadmitted = ()
        return taken

    def _limits_of(self, prop: Property) -> tuple[guarantee.Limit, ...]:
        """Return the limits that suspend the promise of a property for the system of this run."""
        declined = prop.name in self.conditions.declines
        return guarantee.limits_for(prop.limits, self.conditions.admits, is_declined=declined)

    def _readers_of(self, kind: type[TraceEvent | Record]) -> list[_Reader]:
        """Return the readers of events, or of records, of a type."""
        if kind in NAMES:
            names = self._watchers.get(cast(type[TraceEvent], kind), ())
            judges = [(name, self._watching[name]) for name in names if name in self._watching]
        else:
            judges = [(name, judge) for name, judge in self._watching.items() if _is_of(kind, judge.READS)]
        readers: list[_Reader] = [
            (name, self._waiting[name].append if judge.IS_PATIENT else judge.observe) for name, judge in judges
        ]
        if self._is_recorded and kind in SIGNS:
            readers.append((_SIGN, self._take_sign))
        self._readers[kind] = readers
        if not readers and kind not in self._of_conditions and kind is not OperationRecord:
            self._passed_over.add(kind)
        elif (
            kind in NAMES
            and kind not in (HeldTo, *self._of_conditions)
            and all(judge.IS_PATIENT for _, judge in judges)
        ):
            self._only_waiting[kind] = [observe for _, observe in readers]
        return readers

    def _take_sign(self, record: Record) -> None:
        """Note an event if it is a sign that the run must have records of other kinds."""
        assert isinstance(record, EventRecord), "signs are events"
        if (sign := sign_of(record.event, self._met)) is not None:
            self._met.add(sign)

    def _readers_of_operation(self, record: Record, everybody: list[_Reader]) -> list[_Reader]:
        """Return the readers of operations of this kind, chosen from the readers of any operation."""
        assert isinstance(record, OperationRecord), "only operations have kinds"
        kind = record.kind
        readers = self._operation_readers.get(kind)
        if readers is None:
            self._met.add(f"operation {kind}")
            readers = [one for one in everybody if _is_of(kind, self._watching[one[0]].OPERATIONS)]
            self._operation_readers[kind] = readers
        return readers

    def _dismiss(self, name: str, error: Exception, over: str = "") -> None:
        """Show no more records to a judge that has raised an error."""
        self._crashed[name] = _crashed(error, over)
        del self._watching[name]
        self._of_tables = [one for one in self._of_tables if one[0] != name]
        self._of_rows = [one for one in self._of_rows if one[0] != name]
        self._readers.clear()
        self._only_waiting.clear()
        self._operation_readers.clear()

    def _verdict(self, prop: Property, judge: Judge) -> Verdict:
        finding = self._find(prop, judge)
        verdict = verdict_of(prop, finding, self._promises.get(prop.name, PromiseLevel.NONE), self._met)
        return verdict if self.stopped is None else unfinished(verdict, self.stopped)

    def _find(self, prop: Property, judge: Judge) -> guarantee.Finding:
        try:
            self._show_waiting(prop.name)
            if self.stopped is not None:
                judge.break_off()
            finding = self._crashed.get(prop.name) or judge.conclude()
            if not judge.COUNTS or _looks_at_rows(judge):
                finding = limit_whole(finding, judge.comparisons)
            if prop.asked_by.is_of_systems:
                finding = guarantee.not_mostly_elsewhere(finding)
            if finding.result is Result.BROKEN and (why := self._left_out(prop, judge)):
                said = f"{why}, so nothing is concluded from this: {finding.sentence}"
                finding = guarantee.Finding(Result.UNKNOWN, said, reason=Reason.NOT_LOOKED_AT)
        except Exception as error:  # as above
            finding = _crashed(error)
        return finding

    def _left_out(self, prop: Property, judge: Judge) -> str | None:
        """Return which missing records may be the reason for a failure; None if nothing shows that any are missing."""
        if prop.needs == OF_ROWS:
            return None
        if self.conditions.lacks_comings:
            return "no record says which members joined and ended, though some did"
        if self.conditions.knows_nobody and any(limit.anybody == guarantee.CALM_ONLY for limit in prop.limits):
            return "no record says which members there are, or that nothing happened to them"
        if not self._is_recorded or prop.name in self._accused:
            return None
        kinds = judge.WATCHED | judge.RELIES_ON
        if prop.limits or judge.COUNTS:
            kinds |= _ON_CONDITIONS
        if not kinds:
            return None
        read = {_SAID[kind] for kind in (*kinds, *(judge.READS or ()))}
        read |= {f"operation {kind}" for kind in judge.OPERATIONS or ()}
        left = find_left_out(self._met, read)
        return None if left is None else f"the log has no {left[0]}, though it has {left[1]}, and may have left it out"


def judge_run(
    records: Iterable[Record],
    properties: Sequence[Property],
    promises: Mapping[str, PromiseLevel],
    admits: Admission = Admission.HAZELCAST,
) -> tuple[Verdict, ...]:
    """Return one verdict per property over the records of one run, read once."""
    panel = Panel(properties, promises, admits=admits)
    for record in records:
        panel.observe(record)
    return panel.conclude()


def _is_of(kind: object, kinds: Collection[object] | None) -> bool:
    return kinds is None or kind in kinds


def _looks_at_rows(judge: Judge) -> bool:
    return type(judge).look_at_rows is not Judge.look_at_rows


def verdict_of(prop: Property, finding: guarantee.Finding, promise: PromiseLevel, seen: Collection[str]) -> Verdict:
    """Return a verdict made of what a judge found and of what the system promises, with a reason if it is unknown.

    `seen` are the kinds of records that the run has, of those that properties need.

    A property is unknown if nothing was compared.
    """
    if finding.result is Result.HOLDS and finding.compared == 0:
        finding = replace(finding, result=Result.UNKNOWN, sentence=f"nothing was compared: {finding.sentence}")
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
        refusal=finding.refusal,
        by_proof=finding.by_proof,
    )


def unfinished(verdict: Verdict, reason: str) -> Verdict:
    """Return the verdict for a run that stopped before its end: a property that held so far is unknown."""
    sentence, verdict = f"{STOPPED_EARLY}: {reason}", replace(verdict, by_proof=None)
    if verdict.reason in (Reason.NEVER_MET, Reason.NOT_LOOKED_AT):  # what is missing might have happened later
        return replace(verdict, sentence=f"{sentence}{_UNTIL_THEN}{verdict.sentence}")
    if verdict.result is not Result.HOLDS:
        return verdict
    return replace(verdict, result=Result.UNKNOWN, sentence=sentence, compared=0, reason=Reason.UNDECIDED)


def stop_in(verdicts: Iterable[Verdict]) -> str:
    """Return why a run stopped before its end, as its verdicts say; empty if it did not."""
    said = (verdict.sentence for verdict in verdicts if verdict.sentence.startswith(f"{STOPPED_EARLY}: "))
    return next(said, "").partition(_UNTIL_THEN)[0]


def limit_whole(finding: guarantee.Finding, comparisons: guarantee.Comparisons) -> guarantee.Finding:
    """Return a finding about a whole run; if it failed and a cause among its limits was ever in effect, it is out of
    scope."""
    if finding.result is not Result.BROKEN:
        return finding
    if (found := comparisons.find_of_all()) is not None:
        return taken_away(finding, *found)
    return unadmitted(finding, comparisons.unadmitted)


def unadmitted(finding: guarantee.Finding, story: tuple[str, ...]) -> guarantee.Finding:
    """Return a finding; if some failure is covered by no admitted weakness, the story of the first such failure comes
    first."""
    if story in ((), finding.witness):
        return finding
    sentence = f"{in_one_sentence(story)} (another failure was out of scope: {finding.sentence})"
    return replace(finding, sentence=sentence, witness=story)


def taken_away(finding: guarantee.Finding, cause: str, source: str) -> guarantee.Finding:
    """Return a finding about a whole run that failed while nothing was promised: the failure does not count."""
    out = OutOfScope(cause, source, 1, 1)
    sentence = f"out of scope ({cause}), so nothing is concluded: {finding.sentence}"
    return guarantee.Finding(Result.UNKNOWN, sentence, (), 0, Reason.OUT_OF_SCOPE, (out,))


_SAID: Mapping[type[TraceEvent | Record], str] = {
    **{kind: word for word, kind in RECORD_KINDS.items()},
    **{kind: f"event {name}" for name, kind in EVENTS.items()},
}
"""The name that each kind of record, or type of event, has among the needs of a property."""


def _described(record: Record) -> str:
    """Return at which record a judge failed; a log of another program may hold what no log of gridproof does."""
    at_ms, member = getattr(record, "at_ms", None), getattr(record, "member", None)
    said = _SAID[record.kind if isinstance(record, EventRecord) else type(record)]
    by = "" if member is None else f" of member {member}"
    return f" over {said}{by}{'' if at_ms is None else f' at {at_ms:,} ms'}"


def _crashed(error: Exception, over: str = "") -> guarantee.Finding:
    sentence = f"the judge itself failed{over}: {type(error).__name__}: {error}"
    return guarantee.Finding(Result.UNKNOWN, sentence, reason=Reason.JUDGE_FAILED)
