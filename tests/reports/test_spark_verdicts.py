"""Spark's verdicts equal the Python judges', word for word."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.trace import open_trace, write_trace
from gridproof_model.events.operation import Executed
from gridproof_model.trace import EventRecord, Record, VerdictRecord
from gridproof_properties.audits.conformance import check_conformance
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers import polled_tables, routes
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_reports.pipeline import local
from gridproof_reports.pipeline.audit import look_at
from gridproof_reports.pipeline.case import RunAudit
from tests.front_door.few_keys import few_keys
from tests.properties.admitted_breaches import BREACHES, LOST, every_run
from tests.properties.polled_run import polled_run
from tests.reports.random_runs import random_run
from tests.reports.test_audit_errors import HEAD, VIEW
from tools.synthetic_trace import Plant, SyntheticPlan, generate_trace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

ADMITTED = ("admitted.jsonl", "admitted.parquet")
"""Of the runs of a system that admits a weakness each has every other one."""
ACCUSED = "answered-by-its-target"
SIMULATED = {"mixed.jsonl": 24, "jobs.parquet": 8}
"""Traces of simulated runs, named after their workloads, and the seeds."""
LARGE = ((0, 9), (61, 3), (70, 9))
"""First member and number of slots of rows larger than most."""


@dataclass(frozen=True)
class Audited:
    """Traces of every sort, and what Spark said of them in one audit."""

    folder: Path
    runs: Mapping[str, list[RunAudit]]
    """By the name of the trace."""
    live: Mapping[str, tuple[Verdict, ...]]
    """What was said of the recorded audits while they ran."""

    def differences(self, name: str) -> list[tuple[Verdict, Verdict]]:
        """Return the verdicts on one trace that are not those of the Python judges."""
        pairs = zip(self.runs[name], judge_in_python(self.folder / name), strict=True)
        both = [pair for run, verdicts in pairs for pair in zip(run.verdicts, verdicts, strict=True)]
        return [(on_spark, in_python) for on_spark, in_python in both if on_spark != in_python]

    def broken(self, name: str) -> set[str]:
        """Return the properties that some run of a trace broke."""
        return {v.property for run in self.runs[name] for v in run.verdicts if v.result is Result.BROKEN}


@pytest.fixture(scope="module")
def audited(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Audited:
    from gridproof_reports.pipeline.judging import judge_traces

    folder = tmp_path_factory.mktemp("traces")
    write(folder / "random.jsonl", (random_run(seed) for seed in range(7, 13)))
    write(folder / "random.parquet", (random_run(seed) for seed in range(29, 35)))
    write(folder / "large.parquet", (random_run(seed, *large) for large in LARGE for seed in range(60, 62)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gridproof_implementation.trace.parquet.ROW_GROUP_ROWS", 13)
        write(folder / "pieces.parquet", (random_run(seed) for seed in range(70, 78)))
    for name in ("empty.jsonl", "empty.parquet"):
        write(folder / name, empty_runs(name))
    write(folder / "polled.jsonl", [polled_run().records])
    for number, name in enumerate(ADMITTED):
        write(folder / name, islice(every_run(), number, None, len(ADMITTED)))
    for seed, plant in enumerate([None, *Plant]):
        generate_trace(folder / f"{plant}.parquet", SyntheticPlan(1, 17, 1, 4, seed, plant))
    live = {name: record(folder / name) for name in ("live.jsonl", "live.parquet")}
    live |= {name: simulated(folder / name) for name in SIMULATED}
    write(folder / "accused.parquet", [accused(folder / "jobs.parquet")])
    traces = look_at(sorted(folder.iterdir()))
    runs: dict[str, list[RunAudit]] = {trace.path.name: [] for trace in traces}
    for run in judge_traces(spark, traces, lambda *_: None):
        runs[run.source.name].append(run)
    return Audited(folder, runs, live)


def accused(path: Path) -> Iterator[Record]:
    """Yield a run from which no call is seen to be executed, and which was said to break `ACCUSED` while it ran."""
    for found in open_trace(path).records():
        record = replace(found, run="accused")
        if isinstance(record, VerdictRecord) and record.property == ACCUSED:
            record = replace(record, verdict=Result.BROKEN.value)
        if not (isinstance(record, EventRecord) and isinstance(record.event, Executed)):
            yield record


def write(path: Path, runs: Iterable[Iterable[Record]]) -> None:
    with write_trace(path) as trace:
        for run in runs:
            for found in run:
                trace.write(found)


def empty_runs(name: str) -> Iterator[Iterable[Record]]:
    """Yield a run that ends with its head, one without rows, and one with rows between them."""
    yield [replace(HEAD, run=f"{name} head")]
    yield random_run(91 if name == "empty.jsonl" else 92)
    yield [replace(HEAD, run=f"{name} view"), replace(VIEW, run=f"{name} view")]


def record(path: Path) -> tuple[Verdict, ...]:
    with write_trace(path) as trace:
        return check_conformance(
            get_adapter("reference"), Options(seed=5, partition_count=31), trace.write, extent=few_keys()()
        )


def judge_in_python(path: Path) -> list[tuple[Verdict, ...]]:
    return [run.verdicts for run in local.judge_traces([open_trace(path)], lambda *_: None)]


def simulated(path: Path) -> tuple[Verdict, ...]:
    """Simulate one run, with every step of the protocol, and return what was said of it."""
    with write_trace(path) as trace:
        draw_options = DrawOptions(workload=path.stem, client_operations=60)
        return judge_scenario(draw_scenario(SIMULATED[path.name], draw_options), trace.write, refined=True).verdicts


@pytest.mark.parametrize("name", ["random.jsonl", "random.parquet"])
def test_verdicts_on_random_runs_are_equal(audited: Audited, name: str) -> None:
    assert audited.differences(name) == []


@pytest.mark.parametrize("name", ["large.parquet", "pieces.parquet", "empty.jsonl", "empty.parquet"])
def test_verdicts_on_large_rows_on_pieces_of_runs_and_without_rows_are_equal(audited: Audited, name: str) -> None:
    assert audited.differences(name) == []


def test_verdicts_on_tables_that_were_polled_are_equal(audited: Audited) -> None:
    (run,) = audited.runs["polled.jsonl"]
    polled = {prop.name for prop in polled_tables.PROPERTIES}

    assert audited.differences("polled.jsonl") == []
    assert {verdict.result for verdict in run.verdicts if verdict.property in polled} == {Result.HOLDS}


@pytest.mark.parametrize("name", ADMITTED)
def test_verdicts_on_what_a_system_admits_are_equal(audited: Audited, name: str) -> None:
    assert audited.differences(name) == []


def test_what_a_system_admits_and_breaks_elsewhere_is_broken(audited: Audited) -> None:
    broken = set[str]().union(*(audited.broken(name) for name in ADMITTED))

    # Of a job the run says no more than that it started twice: a recorded one may have left the rest out.
    assert {*BREACHES, *LOST} - broken == {"refines-snapshot"}


def test_what_is_judged_of_rows_and_routes_is_broken_by_some_random_run(audited: Audited) -> None:
    broken = audited.broken("random.jsonl") | audited.broken("random.parquet")

    assert {prop.name for prop in (*INVARIANTS, *routes.PROPERTIES)} - broken == set()


def test_every_property_is_judged(audited: Audited) -> None:
    run = audited.runs["random.jsonl"][0]

    assert [verdict.property for verdict in run.verdicts] == [prop.name for prop in CATALOGUE]


def test_a_trace_true_to_the_protocol_breaks_nothing(audited: Audited) -> None:
    assert audited.broken("None.parquet") == set()


@pytest.mark.parametrize("plant", Plant)
def test_a_planted_fault_is_found(audited: Audited, plant: Plant) -> None:
    name = f"{plant}.parquet"

    assert plant.value in audited.broken(name)
    assert audited.differences(name) == []


@pytest.mark.parametrize("name", ["live.jsonl", "live.parquet", *SIMULATED])
def test_a_recorded_run_is_judged_as_it_was_live(audited: Audited, name: str) -> None:
    (run,) = audited.runs[name]

    assert run.verdicts == audited.live[name]


def test_what_was_broken_while_the_run_was_watched_stays_broken_on_a_log_that_leaves_something_out(
    audited: Audited,
) -> None:
    assert audited.differences("accused.parquet") == []
    assert ACCUSED in audited.broken("accused.parquet")


def test_table_rows_are_counted(audited: Audited) -> None:
    counted = sum(run.row_count for runs in audited.runs.values() for run in runs)
    traces = (open_trace(audited.folder / name) for name in audited.runs)

    assert counted == sum(type(found).__name__ == "RowRecord" for trace in traces for found in trace.records())


@pytest.mark.parametrize("reached", ["judging table rows", "judging histories"])
def test_what_was_judged_when_the_time_is_over_is_kept(spark: "SparkSession", tmp_path: Path, reached: str) -> None:
    from gridproof_reports.pipeline.judging import judge_traces

    generate_trace(tmp_path / "one.parquet", SyntheticPlan(1, 17, 1, 4, 3, Plant.FULL_ROWS))

    def end(what: str, done: int, total: int) -> None:
        if what == reached:
            raise KeyboardInterrupt

    (cut,) = judge_traces(spark, look_at([tmp_path / "one.parquet"]), end, lambda: "the time is over")

    (whole,) = judge_in_python(tmp_path / "one.parquet")
    late = {verdict.property for verdict in cut.verdicts if verdict.sentence.endswith(": the time is over")}
    kept = [verdict for verdict in cut.verdicts if verdict.property not in late]
    assert cut.is_cut
    assert kept == [verdict for verdict in whole if verdict.property not in late]
    assert ("full-rows" in late) == (reached == "judging table rows")
    assert "linearizability" in late
