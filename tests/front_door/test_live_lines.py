"""What is said first of several live runs."""

from dataclasses import replace
from pathlib import Path

from gridproof.checks.live_check import PlayedScenario, first_lines
from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.draw import LiveDrawOptions, draw_live_scenario
from gridproof_properties.campaign.live import Cost, PlayedRun
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

OPTIONS = LiveDrawOptions(3, 1, 0, 1, patience_ms=200, faults=(), networked=False)


def played(seed: int, under: FaultCondition, *broken: str) -> PlayedScenario:
    verdicts = tuple(Verdict(name, Result.BROKEN, "", (), PromiseLevel.NONE) for name in broken)
    run = PlayedRun(replace(draw_live_scenario(seed, OPTIONS), seed=seed), "1", verdicts, Cost(), None, under=(under,))
    return PlayedScenario((run,), Path("seed.json"))


def test_runs_that_compare_nothing_for_one_reason_are_one_line() -> None:
    pause, cut = FaultCondition.PAUSE, FaultCondition.CUT
    lines = first_lines([played(1, pause, "no-orphan"), played(2, cut), played(3, pause, "no-orphan", "full-rows")], ())

    assert [line.partition(":")[0] for line in lines] == ["seed 1, 3", "seed 2"]
    assert lines[0].endswith("; broken there and not promised: no-orphan 2, full-rows 1")
