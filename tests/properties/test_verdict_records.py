"""A verdict survives being a record."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_lines import encode
from gridproof_implementation.trace.json_reading import decode
from gridproof_model.trace import VerdictRecord
from gridproof_properties.judging.verdict import OutOfScope, PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record, verdict_record

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
COUNTS = st.integers(0, 2**40)
VERDICTS = st.builds(
    Verdict,
    property=TEXTS,
    result=st.sampled_from(Result),
    sentence=TEXTS,
    witness=st.lists(TEXTS, max_size=3).map(tuple),
    promise=st.sampled_from(PromiseLevel),
    compared=COUNTS,
    reason=st.none() | st.sampled_from(Reason),
    out_of_scope=st.lists(st.builds(OutOfScope, TEXTS, TEXTS, COUNTS, COUNTS), max_size=3).map(tuple),
)
RECORD = VerdictRecord("r", "full-rows", "holds", "promised", "all of them", (), 7)


@given(verdict=VERDICTS)
def test_what_is_written_is_what_is_read(verdict: Verdict) -> None:
    record = decode(encode(verdict_record("r", verdict)))

    assert isinstance(record, VerdictRecord)
    assert verdict_of_record(record) == verdict


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (replace(RECORD, verdict="green"), "has verdict 'green'; it must be one of holds, unknown, broken"),
        (replace(RECORD, promise="sworn"), "has promise 'sworn'; it must be one of promised, weakness, none"),
        (replace(RECORD, reason="tired"), "has reason 'tired'; it must be one of never met, not looked at, "),
        (replace(RECORD, out_of_scope=("because",)), "has out_of_scope 'because'; it must be an object of cause, "),
        (replace(RECORD, out_of_scope=('{"cause": "a"}',)), 'has out_of_scope \'{"cause": "a"}\'; it must be an '),
    ],
)
def test_what_no_judge_wrote_is_one_line(record: VerdictRecord, complaint: str) -> None:
    with pytest.raises(TraceError) as caught:
        verdict_of_record(record)

    assert str(caught.value).startswith(f"run 'r': the verdict on full-rows {complaint}")
