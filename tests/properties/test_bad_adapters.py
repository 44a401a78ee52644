"""Whatever an adapter does ends as one line."""

import pytest

from gridproof_implementation.adapter import Adapter, AdapterError, AdapterFailure, Options
from gridproof_model.events.harness import AuditStopped
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.verdict import Result, exit_status
from tests.properties.bad_adapters import AFTER, BEFORE, HANGING, HANGS_BEFORE

OPTIONS = Options(partition_count=29, member_count=2)
PLAN = GridPlan(12, sampled_every=3, many_calls=2, entries_a_call=2, crash_write_count=2, settle_deadline_ms=1_000)


def stopped_line(adapter: Adapter, *, deadline_s: float = 60.0) -> str:
    """Audit, and return the one line that stands in the trace; nothing may hold after it."""
    records: list[Record] = []
    extent = Extent(grid=PLAN, random_keys_per_type=100, call_deadline_s=deadline_s)
    verdicts = check_conformance(adapter, OPTIONS, records.append, properties=INVARIANTS, extent=extent)
    assert Result.HOLDS not in {verdict.result for verdict in verdicts}
    assert exit_status(verdicts) == 3
    (line,) = [r.event.why for r in records if isinstance(r, EventRecord) and isinstance(r.event, AuditStopped)]
    return line


@pytest.mark.parametrize("wrong", BEFORE)
def test_what_fails_before_the_start_is_wrong_use(wrong: str) -> None:
    adapter, found = BEFORE[wrong]

    with pytest.raises(AdapterError) as failed:
        check_conformance(adapter, OPTIONS, properties=INVARIANTS, extent=Extent(grid=PLAN))

    assert found in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize("wrong", AFTER)
def test_what_fails_after_the_start_marks_the_trace_and_leaves_nothing_holding(wrong: str) -> None:
    adapter, found = AFTER[wrong]

    line = stopped_line(adapter)

    assert found in line
    assert "\n" not in line


@pytest.mark.parametrize("wrong", HANGING)
def test_a_call_that_does_not_return_is_given_up(wrong: str) -> None:
    adapter, found = HANGING[wrong]

    assert found in stopped_line(adapter, deadline_s=0.5)


def test_a_system_that_never_opens_is_given_up() -> None:
    with pytest.raises(AdapterFailure, match=r"open\(\) did not return within 0\.2 s"):
        check_conformance(HANGS_BEFORE, OPTIONS, extent=Extent(call_deadline_s=0.2))
