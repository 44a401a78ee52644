"""What each command says of one and the same run."""

import re
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gridproof.checks.run import verdict_object
from gridproof.commands import replay
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.trace import read_trace, write_trace
from gridproof_model.trace import VerdictRecord
from gridproof_properties.campaign import seeds
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.judging.verdict import Result, Verdict, standing_of
from gridproof_properties.judging.verdict_records import verdict_of_record
from tests.front_door.command_line import CommandLine, Outcome

ROW = re.compile(
    r'<span class="badge (?P<result>\S+) (?P<promise>\S+)">.*?<span class="word">(?P<word>[^<]+)</span>.*?'
    r'<span class="name">(?P<name>[^<]+)</span>.*?<p class="found">(?P<found>.*?)</p>.*?'
    r'<td role="cell" class="number">(?P<compared>[\d,]*)',
    re.DOTALL,
)
"""One verdict on a page."""
AGAIN = re.compile(r"^  again: gridproof (.*)$", re.MULTILINE)
"""The line that `simulate` prints beside a failure."""
PageRow = tuple[str, str, str, str, str, int]


@dataclass(slots=True)
class Overhearing:
    """Every run that commands have judged since the last look, whatever they print of it."""

    runs: list[JudgedRun] = field(default_factory=list)

    def judge(self, scenario: Scenario, *rest: Any, **named: Any) -> JudgedRun:
        """Judge a run and remember it."""
        self.runs.append(judge_scenario(scenario, *rest, **named))
        return self.runs[-1]

    def take(self) -> list[tuple[Verdict, ...]]:
        """Return the verdicts of those runs, and forget them."""
        taken = [run.verdicts for run in self.runs]
        self.runs.clear()
        return taken


class Readings:
    """Asks every command about the run of a seed; one for a whole test, however many examples it tries."""

    def __init__(self, gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        self._gridproof = gridproof
        self._overhearing = Overhearing()
        for module in (seeds, replay):
            monkeypatch.setattr(module, "judge_scenario", self._overhearing.judge)

    def compare(self, seed: int, options: Sequence[str], engines: Sequence[str] = ("local",)) -> tuple[Verdict, ...]:
        """Assert that every command says the same of a run, property by property; return its verdicts."""
        with TemporaryDirectory() as name, chdir(name):
            alone = self._gridproof("simulate", "--seed", seed, *options, "--out", "run")
            (said,) = self._overhearing.take()
            self._compare_runs(seed, options, said, alone)
            trace = Path("run") / "trace.jsonl"
            recorded = [verdict_of_record(one) for one in read_trace(trace) if isinstance(one, VerdictRecord)]
            assert differences(recorded, said) == []
            self._compare_readers(trace, said, engines)
            forget_verdicts(trace)
            self._compare_readers(trace, said, ())
        return said

    def _compare_runs(self, seed: int, options: Sequence[str], said: Sequence[Verdict], alone: Outcome) -> None:
        """Hold the run alone against the same among others and once more."""
        self._gridproof("simulate", "--seed", seed, "--runs", 2, "--workers", 1, *options)
        assert differences(self._overhearing.take()[0], said) == []
        printed = AGAIN.search(alone.out)
        again = self._gridproof(*(printed[1].split() if printed else ("replay", seed, *options)), "--whole")
        assert differences(self._overhearing.take()[0], said) == []
        assert again.status == alone.status
        if all(verdict.result is not Result.BROKEN for verdict in said):  # else it shows the story in its place
            assert table_lines(again) == table_lines(alone)

    def _compare_readers(self, trace: Path, said: Sequence[Verdict], engines: Sequence[str]) -> None:
        """Hold what readers of the trace say against what was said when it was written."""
        for engine in engines:
            (run,) = self._gridproof("audit", trace, "--engine", engine, "--json").json["runs"]
            assert differences(run["verdicts"], [verdict_object(verdict) for verdict in said]) == []
        page = Path(self._gridproof("report", trace.parent).out.strip())
        assert differences(rows_of_page(page), rows_of(said)) == []


def differences(found: Sequence[Any], said: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return what is not the same, in pairs."""
    return [pair for pair in zip(found, said, strict=True) if pair[0] != pair[1]]


def forget_verdicts(trace: Path) -> None:
    """Take the verdicts out of a trace, so that whoever reads it must judge."""
    records = [one for one in read_trace(trace) if not isinstance(one, VerdictRecord)]
    trace.unlink()
    with write_trace(trace) as writer:
        for one in records:
            writer.write(one)


def table_lines(ended: Outcome) -> list[str]:
    """Return the rows of the tables that a command has printed."""
    return [line for line in ended.out.splitlines() if line.startswith("│")]


def rows_of_page(page: Path) -> list[PageRow]:
    """Return the verdicts that stand on a page, in the order of their properties."""
    rows = (row.groupdict() for row in ROW.finditer(page.read_text("utf-8")))
    return sorted(
        (row["name"], row["word"], row["result"], row["promise"], unescape(row["found"]), _number(row["compared"]))
        for row in rows
    )


def rows_of(verdicts: Sequence[Verdict]) -> list[PageRow]:
    """Return how these verdicts stand on a page, in the order of their properties."""
    return sorted(
        (one.property, standing_of(one).value, one.result.value, one.promise.value, one.sentence, one.compared)
        for one in verdicts
    )


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0)
