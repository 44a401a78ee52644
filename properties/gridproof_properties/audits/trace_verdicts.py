"""The verdicts on a recorded run.

Every property of the catalogue is judged over the records, in order, and the result is combined with what the system of
the run promises. A live audit, a campaign, a page, and an audit of the trace, in one process or on Spark, all give the
same verdicts.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceError
from gridproof_model.renamed import present_name
from gridproof_model.trace import Record, RunRecord, VerdictRecord
from gridproof_properties.audits.conformance import promise_levels, with_batched_hash
from gridproof_properties.audits.promises import admission_of, attributed, promises_of, struck_in, with_stated_word
from gridproof_properties.catalogue import CATALOGUE, PROPERTY_NAMES
from gridproof_properties.judging.panel import Panel, judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record
from gridproof_properties.refinement import REFINEMENTS

if TYPE_CHECKING:  # loaded only if a file of promises is read
    from gridproof_implementation.live.said import Said

JUDGED = tuple(with_batched_hash(prop) for prop in CATALOGUE)
"""Every property of the catalogue; keys are hashed in batches."""
Word = tuple[PromiseLevel, str]
"""The promise level of a property, and the source of that promise."""


def judge_recorded(
    head: RunRecord,
    records: Iterable[Record],
    over: Callable[[], str | None] = lambda: None,
    stated: "Said | None" = None,
) -> tuple[Verdict, ...]:
    """Return one verdict per property over the records of one run, in the order of the catalogue.

    If a KeyboardInterrupt ends the judging because the work is to stop, for the reason that `over` returns, what was
    broken by then is broken, and everything else is unknown. What an auditor has `stated` takes precedence over every
    other statement.
    """
    panel = Panel(JUDGED, {}, is_recorded=True, admits=admission_of(head.system))
    recorded: dict[str, Word] = {}
    try:
        for record in records if stated is None else with_stated_word(stated, head, records):
            panel.observe(record)
            if isinstance(record, VerdictRecord):
                said = said_in(record)
                recorded[said.property] = said.promise, said.promised_by
        verdicts = panel.conclude()
    except KeyboardInterrupt:
        why = over()
        if why is None:
            raise
        verdicts = panel.break_off(why)
    if stated is not None:
        recorded |= _stated_words(stated, head, panel)
    return beside_promises(head, recorded, verdicts, grouped=panel.conditions.grouped)


def _stated_words(stated: "Said", head: RunRecord, panel: Panel) -> dict[str, Word]:
    """Return the promise level of each property that the auditor states a level for, under the faults of the run."""
    adapter = stated.about(Adapter(head.system, "", Kind.GRID, _open_nothing))
    under = struck_in(panel.conditions.fault_spans, head.backup_count)
    grouped, asked = panel.conditions.grouped, panel.asked
    levels = promise_levels(adapter, _options_of(head), under=under, asked=asked, grouped=grouped)
    by = {present_name(name, PROPERTY_NAMES): str(promise.by) for name, promise in stated.promises.items()}
    return {name: (levels.get(name, PromiseLevel.NONE), speaker) for name, speaker in by.items()}


def _open_nothing(_: Options) -> NoReturn:
    raise AssertionError("a trace must be judged without opening a system; this is a defect of gridproof: report it")


def said_in(record: VerdictRecord) -> Verdict:
    """Return the verdict in a record; raise TraceError if it names an unknown property with a promise.

    The trace may also have a verdict on a user's own property, which was judged when the run was recorded; that verdict
    is ignored, since only that user has the judge for it.
    """
    said = verdict_of_record(record)
    near = difflib.get_close_matches(said.property, PROPERTY_NAMES)
    is_of_own = said.result is not Result.UNKNOWN and not near
    if said.promise is not PromiseLevel.NONE and said.property not in PROPERTY_NAMES and not is_of_own:
        cure = f"did you mean {' or '.join(near)}?" if near else "`gridproof properties` lists them"
        raise TraceError(f"run {record.run!r}: a verdict promises {said.property!r}, which is no property: {cure}")
    return said


def with_details(verdicts: Sequence[Verdict], records: Callable[[], Iterable[Record]]) -> Sequence[Verdict]:
    """Return the verdicts: for refused runs with the refused event, for the other runs with what follows by proof.

    A trace keeps the verdict's sentence but not the details, so the judges of these verdicts validate the run once
    more; they also do so if some behaviours were given up, as something may follow for the others.
    """
    looked = (one for one in verdicts if one.result is not Result.UNKNOWN or one.reason is Reason.NEVER_MET)
    bare = {one.property for one in looked if not (one.refusal or one.by_proof)}
    judged = [prop for prop in REFINEMENTS if prop.name in bare]
    if not judged:
        return verdicts
    again = {(one.property, one.sentence): one for one in judge_run(records(), judged, {})}
    found = ((one, again.get((one.property, one.sentence), one)) for one in verdicts)
    return [replace(one, refusal=new.refusal, by_proof=new.by_proof) for one, new in found]


def beside_promises(
    head: RunRecord, recorded: Mapping[str, Word], verdicts: Iterable[Verdict], *, grouped: bool
) -> tuple[Verdict, ...]:
    """Return the verdicts, each with what the system promises.

    Choice: the promise that the run itself recorded with its verdicts takes precedence; then the promise in the
    catalogue for a system of this name; otherwise there is no promise, as no system may be blamed for what it is not
    known to have promised.
    """
    adapter = find_adapter(head.system)
    if adapter is None:
        levels = promises_of(head.system, grouped=grouped)
    else:
        levels = promise_levels(adapter, _options_of(head), grouped=grouped)
        verdicts = attributed(adapter.promises, verdicts)
    return tuple(
        replace(one, promise=recorded[one.property][0], promised_by=recorded[one.property][1])
        if one.property in recorded
        else replace(one, promise=levels.get(one.property, PromiseLevel.NONE))
        for one in verdicts
    )


def _options_of(head: RunRecord) -> Options:
    return Options(seed=head.seed, backup_count=head.backup_count, partition_count=head.partition_count)
