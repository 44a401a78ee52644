"""Logs of what one judge of steps reads, and nothing else.

Each is judged by that judge; others, and specifications, need more kinds of events, and are silent. So a judge stays
though a specification says its sentence of every full log: it finds in a log of few kinds what no specification can.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.partitioning import RowsFetched
from gridproof_model.events.replication import BackupApplied
from gridproof_model.trace import EventRecord, MemberRecord, Record, RunRecord
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement import REFINEMENTS
from suite.zoo.mutated_steps import TRACE_MUTATIONS
from tests.properties.validated_runs import mutated, run_of
from tests.suite.test_mutated_steps import CRASH, LEAVE, LOSSY, MOVING, run_for

SAID_BY_SPECIFICATIONS = {
    "rows-never-diverge": "row-diverges",
    "lowest-survivor-promoted": "second-survivor-promoted",
    "tables-from-the-master": "table-from-another",
    "acknowledged-by-its-backups": "acknowledged-by-a-stranger",
    "answered-by-its-target": "answer-to-another-call",
    "leaves-end": "leaver-stays",
    "no-needless-sync": "synchronised-again",
    "steps-have-origins": "promoted-unordered",
}
"""Each with a mutated step that a specification refuses, too."""


def _older(applied: BackupApplied) -> BackupApplied:
    return replace(applied, version=0)


def _strict(records: Iterable[Record]) -> list[Record]:
    strict = mutated(records, CallBegun, lambda begun: replace(begun, is_strict=True))
    return mutated(strict, CallEnded, lambda ended: replace(ended, confirmed=0))


def _left_low(records: Iterable[Record]) -> list[Record]:
    ordered = mutated(records, MigrationOrdered, lambda order: replace(order, number=7_000, initial_version=1_000))
    failed = mutated(ordered, RowsFetched, lambda fetched: replace(fetched, failed=(7_000,)))
    is_fetched = [isinstance(one, EventRecord) and isinstance(one.event, RowsFetched) for one in failed]
    return [*failed, failed[is_fetched.index(True)]]


FORGED: dict[str, Callable[[], list[Record]]] = {
    "backup-never-goes-back": lambda: mutated(run_of(CRASH), BackupApplied, _older, nth=20),
    "strict-means-copies": lambda: _strict(run_of(CRASH)),
    "failure-raises-the-version": lambda: _left_low(run_of(CRASH)),
}
BROKEN = FORGED | {
    name: lambda mutation=mutation: run_for(mutation)[1]
    for name, of in SAID_BY_SPECIFICATIONS.items()
    for mutation in TRACE_MUTATIONS
    if mutation.name == of
}


def log_of_what_it_reads(prop: Property, records: Iterable[Record]) -> list[Record]:
    kinds = watched_by([prop])
    return [
        record
        for record in records
        if isinstance(record, RunRecord | MemberRecord) or (isinstance(record, EventRecord) and record.kind in kinds)
    ]


def broken_in(log: Iterable[Record], properties: Sequence[Property]) -> list[str]:
    panel = Panel(properties, {}, is_recorded=True)
    for record in log:
        panel.observe(record)
    return [verdict.property for verdict in panel.conclude() if verdict.result is Result.BROKEN]


@pytest.mark.parametrize("name", BROKEN)
def test_a_log_of_what_a_judge_reads_is_judged_by_it_and_refused_by_no_specification(name: str) -> None:
    prop = get_property(name)
    log = log_of_what_it_reads(prop, BROKEN[name]())

    assert broken_in(log, [prop, *REFINEMENTS]) == [name]


@pytest.mark.parametrize("name", [prop.name for prop in CATALOGUE if prop.start().WATCHED])
@pytest.mark.parametrize(
    "given", [CRASH, *(pytest.param(one, marks=pytest.mark.nightly) for one in (MOVING, LEAVE, LOSSY))],
    ids=["crash", "moving", "leave", "lossy"],
)  # fmt: skip
def test_a_good_log_of_what_one_judge_reads_accuses_nobody(name: str, given: Scenario) -> None:
    assert broken_in(log_of_what_it_reads(get_property(name), run_of(given)), CATALOGUE) == []
