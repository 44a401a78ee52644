"""A run that is broken off anywhere shows nothing broken that the whole run does not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.workloads import WORKLOADS
from gridproof_model.events.harness import AuditStopped
from gridproof_model.trace import EventRecord, OperationRecord, Outcome, Record, RunRecord
from gridproof_properties.audits.conformance import check_conformance
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.judging.verdict import Result
from tests.profiles import examples

SEEDS = st.integers(0, 7)
WHERE = st.floats(0, 1, exclude_max=True)


class Whole(NamedTuple):
    """The records of a run that came to its end, and what it breaks."""

    records: Sequence[Record]
    broken: set[str]


@cache
def simulated(workload: str, seed: int) -> Whole:
    records: list[Record] = []
    simulate(draw_scenario(seed, DrawOptions(workload=workload)), records.append)
    return Whole(records, broken_in(records))


@cache
def audited() -> Whole:
    records: list[Record] = []
    options = Options(partition_count=7)
    check_conformance(get_adapter("reference"), options, records.append, properties=())
    return Whole(records, broken_in(records))


def broken_in(records: Sequence[Record]) -> set[str]:
    head = records[0]
    assert isinstance(head, RunRecord)
    return {verdict.property for verdict in judge_recorded(head, records) if verdict.result is Result.BROKEN}


def broken_off(records: Sequence[Record], where: float) -> list[Record]:
    """Return what is recorded of a run that ends there: what is under way ends as unknown."""
    cut = 2 + int(where * (len(records) - 2))
    now_ms = 1 + max(getattr(record, "at_ms", 0) for record in records[:cut])
    stop = EventRecord(records[0].run, now_ms, None, AuditStopped("nobody answers"))
    return [*records[:cut], *_given_up(records[cut:], now_ms), stop]


def _given_up(rest: Sequence[Record], now_ms: int) -> Iterator[Record]:
    for record in rest:
        if isinstance(record, OperationRecord) and record.start_ms < now_ms:
            given_up = replace(record, outcome=Outcome.UNKNOWN, reason="the run is broken off", end_ms=now_ms)
            yield replace(given_up, confirmed_copies=None, answer=None)


BY_DAY = ("register", "queue", "entries", "safety")
"""One of each kind: a value, a structure, several entries in a call, what is asked of the cluster."""
DRAWN = [pytest.param(one.name, marks=[] if one.name in BY_DAY else [pytest.mark.nightly]) for one in WORKLOADS]


@pytest.mark.parametrize("workload", DRAWN)
@given(seed=SEEDS, where=WHERE)
@settings(max_examples=examples(30, nightly=1_200))
def test_what_comes_too_late_in_a_simulated_run_breaks_nothing(workload: str, seed: int, where: float) -> None:
    whole = simulated(workload, seed)

    assert broken_in(broken_off(whole.records, where)) <= whole.broken


@pytest.mark.nightly
@given(where=WHERE)
def test_what_comes_too_late_in_an_audit_breaks_nothing(where: float) -> None:
    whole = audited()

    assert broken_in(broken_off(whole.records, where)) <= whole.broken
