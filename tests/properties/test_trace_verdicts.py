"""Promises of a recorded run with groups."""

import pytest

from gridproof_model.trace import RunRecord
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.judging.verdict import PromiseLevel
from gridproof_properties.strategies.trace_builder import TraceBuilder


@pytest.mark.parametrize(("grouped", "level"), [(False, PromiseLevel.PROMISED), (True, PromiseLevel.WEAKNESS)])
@pytest.mark.parametrize("system", ["reference", "simulated reference"])
def test_a_record_of_shared_groups_takes_the_promise_of_fewest_primaries_away(
    system: str, grouped: bool, level: PromiseLevel
) -> None:
    head = RunRecord("expected", system, "1", 0, 3, 1)
    run = TraceBuilder().set_up(1, 0, grouped=grouped)
    verdicts = judge_recorded(head, [head, *run.records[1:]])

    assert next(v.promise for v in verdicts if v.property == "movement-of-primaries") is level
