"""Turns a verdict into a record of a trace, and a record into a verdict.

No other module converts verdicts: the program that judges writes its verdicts behind the records of the run, and a page
shows them without judging again.
"""

import json
from dataclasses import asdict
from typing import TypeVar

from gridproof_implementation.trace import TraceError
from gridproof_model.renamed import recorded_name
from gridproof_model.trace import VerdictRecord
from gridproof_properties.judging.verdict import OutOfScope, PromiseLevel, Reason, Result, Verdict


def verdict_record(run: str, verdict: Verdict) -> VerdictRecord:
    """Return the record of a verdict on a run."""
    return VerdictRecord(
        run=run,
        property=verdict.property,
        verdict=verdict.result.value,
        promise=verdict.promise.value,
        sentence=verdict.sentence,
        witness=verdict.witness,
        compared=verdict.compared,
        reason="" if verdict.reason is None else verdict.reason.value,
        out_of_scope=tuple(json.dumps(asdict(one), ensure_ascii=False) for one in verdict.out_of_scope),
        promised_by=verdict.promised_by,
    )


def verdict_of_record(record: VerdictRecord) -> Verdict:
    """Return the verdict in a record; raise TraceError, naming the field, if no judge can have written it."""
    return Verdict(
        property=recorded_name(record.property),
        result=_read_choice(Result, record, "verdict", record.verdict),
        sentence=record.sentence,
        witness=record.witness,
        promise=_read_choice(PromiseLevel, record, "promise", record.promise),
        compared=record.compared,
        reason=_read_choice(Reason, record, "reason", record.reason) if record.reason else None,
        out_of_scope=tuple(_read_scope(record, detail) for detail in record.out_of_scope),
        promised_by=record.promised_by,
    )


def _read_scope(record: VerdictRecord, text: str) -> OutOfScope:
    try:
        fields = json.loads(text)
        return OutOfScope(str(fields["cause"]), str(fields["source"]), int(fields["compared"]), int(fields["failed"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise _wrong(record, "out_of_scope", text, "an object of cause, source, compared and failed") from None


Word = TypeVar("Word", Result, PromiseLevel, Reason)


def _read_choice(kind: type[Word], record: VerdictRecord, field: str, found: str) -> Word:
    try:
        return kind(found)
    except ValueError:
        raise _wrong(record, field, found, f"one of {', '.join(kind)}") from None


def _wrong(record: VerdictRecord, field: str, found: str, wanted: str) -> TraceError:
    where = f"run {record.run!r}: the verdict on {record.property} has {field} {found!r}"
    return TraceError(f"{where}; it must be {wanted}: record the run again")
