"""What is said of a recorded run.

Every property of the catalogue is judged over the records, in order, and stands beside what the system of the run
promises. A live audit, a campaign, a page and an audit of the trace, in one process or on Spark, say the same.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceError
from gridproof_model.trace import Record, RunRecord, VerdictRecord
from gridproof_properties.audits.conformance import promise_levels, with_batched_hash
from gridproof_properties.audits.promises import admission_of, promises_of
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.panel import Panel, judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record
from gridproof_properties.refinement import REFINEMENTS

JUDGED = tuple(with_batched_hash(prop) for prop in CATALOGUE)
"""Every property; keys are hashed by the thousand."""
KNOWN = frozenset(prop.name for prop in CATALOGUE)


def judge_recorded(
    head: RunRecord, records: Iterable[Record], over: Callable[[], str | None] = lambda: None
) -> tuple[Verdict, ...]:
    """Return one verdict a property over the records of one run, in the order of the catalogue.

    Where it is interrupted (KeyboardInterrupt) because work is `over`, for the reason that it returns, what was broken
    until then is, and all else is unknown.
    """
    panel = Panel(JUDGED, {}, is_recorded=True, admits=admission_of(head.system))
    recorded: dict[str, PromiseLevel] = {}
    try:
        for record in records:
            panel.observe(record)
            if isinstance(record, VerdictRecord):
                said = said_in(record)
                recorded[said.property] = said.promise
                panel.hear(said)
        verdicts = panel.conclude()
    except KeyboardInterrupt:
        why = over()
        if why is None:
            raise
        verdicts = panel.break_off(why)
    return beside_promises(head, recorded, verdicts, grouped=panel.conditions.grouped)


def said_in(record: VerdictRecord) -> Verdict:
    """Return the verdict that a record holds; TraceError for a promise of what no property is called.

    A property of somebody's own that was judged when the run was recorded stands in its trace, too, and is passed over:
    only who wrote it has its judge.
    """
    said = verdict_of_record(record)
    near = difflib.get_close_matches(said.property, KNOWN)
    is_of_own = said.result is not Result.UNKNOWN and not near
    if said.promise is not PromiseLevel.NONE and said.property not in KNOWN and not is_of_own:
        cure = f"did you mean {' or '.join(near)}?" if near else "`gridproof properties` lists them"
        raise TraceError(f"run {record.run!r}: it promises {said.property!r}, which is no property: {cure}")
    return said


def with_details(verdicts: Sequence[Verdict], records: Callable[[], Iterable[Record]]) -> Sequence[Verdict]:
    """Return the verdicts, those on refused runs with the event that is refused, on others with what follows by proof.

    A trace keeps what a verdict says, and not these: the run is validated once more, by the judges of these verdicts;
    where some behaviours were given up, too, for something may follow of the others.
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
    head: RunRecord, recorded: Mapping[str, PromiseLevel], verdicts: Iterable[Verdict], *, grouped: bool
) -> tuple[Verdict, ...]:
    """Return the verdicts with what the system promises.

    Choice: what the run itself recorded with its verdicts; else what the catalogue says of a system of this name; else
    nothing, for nobody may be blamed for what nobody is known to have promised.
    """
    promises = {**_promises_of(head, grouped=grouped), **recorded}
    return tuple(replace(verdict, promise=promises.get(verdict.property, PromiseLevel.NONE)) for verdict in verdicts)


def _promises_of(head: RunRecord, *, grouped: bool) -> Mapping[str, PromiseLevel]:
    adapter = find_adapter(head.system)
    if adapter is None:
        return promises_of(head.system, grouped=grouped)
    options = Options(seed=head.seed, backup_count=head.backup_count, partition_count=head.partition_count)
    return promise_levels(adapter, options, grouped=grouped)
