"""One run, one verdict: whichever command judges it."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gridproof_implementation.simulator.faults import FAULTS
from gridproof_implementation.simulator.parameters import NONE
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD, TOGETHER, WORKLOADS
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_properties.campaign import seeds
from gridproof_properties.judging.verdict import Result
from suite.zoo.members import MEMBER_MUTANTS
from tests.front_door.command_line import CommandLine
from tests.front_door.readings import Readings
from tests.profiles import examples

# The fixtures patch what the examples share; each example has a folder of its own.
SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
FOR_SPARK = {
    6: ["--faults", "crash,split"],
    11: ["--workload", "safety+lock", "--members", "3", "--backups", "2"],
    4: ["--workload", "jobs", "--minutes", "1"],
}
"""Seeds and options."""


def option(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[str]]:
    """Return the words of an option, or none."""
    return st.one_of(st.just([]), values.map(lambda value: [name, str(value)]))


def some(names: Sequence[str], between: str) -> st.SearchStrategy[str]:
    """Return one to three different names."""
    return st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map(between.join)


OPTIONS = st.tuples(
    option("--members", st.integers(1, 5)),
    option("--backups", st.integers(0, MAX_BACKUP_COUNT)),
    option("--faults", st.just(NONE) | some([fault.name for fault in FAULTS], ",")),
    option("--workload", st.sampled_from(EVERY_WORKLOAD).map(lambda one: one.name))
    | option("--workload", some([one.name for one in WORKLOADS], TOGETHER)),
    st.sampled_from([[], [], ["--minutes", "1"]]),
    st.sampled_from([[], ["--steps"]]),
).map(lambda several: [word for words in several for word in words])
"""What may stand behind `simulate --seed S` and `replay S`."""
SEEDS = st.integers(0, 99) | st.integers(0, 2**62)


@pytest.fixture
def readings(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Readings:
    """Asks every command."""
    return Readings(gridproof, monkeypatch)


@given(SEEDS, OPTIONS)
@settings(max_examples=examples(1, nightly=200), suppress_health_check=SHARED)
def test_every_command_says_the_same_of_a_run(readings: Readings, seed: int, options: list[str]) -> None:
    readings.compare(seed, options)


@pytest.mark.parametrize(("number", "seed"), [("M10", 2), pytest.param("M09", 9, marks=pytest.mark.nightly)])
def test_every_command_says_the_same_of_a_broken_run(readings: Readings, number: str, seed: int) -> None:
    with planted(number):
        said = readings.compare(seed, ["--steps"])
    assert Result.BROKEN in {verdict.result for verdict in said}


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_says_the_same_of_simulated_runs(gridproof: CommandLine) -> None:
    for seed, options in FOR_SPARK.items():
        gridproof("simulate", "--seed", seed, *options, "--out", f"run-{seed}")
    with planted("M10"):
        gridproof("simulate", "--seed", 2, "--steps", "--out", "run-2")
    traces = [f"run-{seed}/trace.jsonl" for seed in (*FOR_SPARK, 2)]

    here, on_spark = (gridproof("audit", *traces, "--engine", engine, "--json") for engine in ("local", "spark"))

    assert on_spark.status == here.status == 1
    assert on_spark.json["runs"] == here.json["runs"]


def test_several_workers_say_what_one_says(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "SEEDS_AT_A_TIME", 1)

    one, two = (gridproof("simulate", "--runs", 3, "--workers", count, "--json").json for count in (1, 2))

    del one["seconds"], two["seconds"]
    assert two == one


def test_runs_together_are_the_sum_of_runs_alone(gridproof: CommandLine) -> None:
    together = gridproof("simulate", "--seed", 7, "--runs", 3, "--workers", 1, "--json").json
    alone = [gridproof("simulate", "--seed", seed, "--json").json for seed in (7, 8, 9)]

    assert columns(together) == sum(map(columns, alone), Counter())
    assert together["failures"] == [failure for one in alone for failure in one["failures"]]


def planted(number: str) -> AbstractContextManager[object]:
    """Return what plants a bug of the zoo until the block ends."""
    return next(one for one in MEMBER_MUTANTS if one.number == number).plant()


def columns(shown: Any) -> Counter[tuple[str, ...]]:
    """Return every count of a campaign: by property and column, and of what is admitted by cause and source."""
    counts = Counter[tuple[str, ...]]()
    for name, row in shown["properties"].items():
        counts.update({(name, column): count for column, count in row.items() if count})
    for one in shown["admitted"]:
        place = (one["property"], one["cause"], one["source"])
        counts.update({(*place, column): one[column] for column in ("compared", "failed") if one[column]})
    return counts
