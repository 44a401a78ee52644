"""Ctrl-C in the midst of every command: what was found until then is said, with its status.

What ends a command from outside is Ctrl-C to it (`test_who_ends.py`), so that here it comes from inside, at a certain
call of some function: no waiting, and no luck.
"""

import importlib
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gridproof.commands import COMMANDS
from gridproof_implementation.trace import write_trace
from gridproof_properties.audits.agent_check import Examined
from gridproof_properties.strategies.trace_builder import TraceBuilder
from gridproof_reports.campaigns.plan import Part, read_plan
from gridproof_reports.campaigns.rows import make_part
from gridproof_reports.campaigns.store import Store
from suite.commands import SUITE
from tests.front_door.command_line import CommandLine
from tests.front_door.ring_log import log_of, write_ring
from tests.house.source_tree import ROOT

JUDGE = "gridproof_properties.judging.panel.Panel"
HARD = """
from gridproof_model.language import Int, Specification, Step
mine = Specification("mine", "Numbers.", source="this test")
x, y, z = (mine.variable(name, Int(0), "It.", initial=value) for value, name in enumerate("xyz"))

@mine.action(source="this test")
def rises():
    "It rises."
    return Step(when=[x < 9], then=[x.becomes(x + 1)])

@mine.always(source="this test")
def stays():
    "It does not."
    return x < 2

@mine.action(source="this test")
def grows():
    "It grows."
    return Step(when=[z > 99], then=[z.becomes(z + 1)])

@mine.always(source="this test")
def is_short():
    "It is not long."
    return z != 200
"""


@dataclass(frozen=True, slots=True)
class End:
    """A command, when it is interrupted, and what comes of it."""

    words: str
    place: str
    """Module and function."""
    call: int
    """Which of its calls."""
    status: int
    said: str
    """On standard output, else on the other."""


BEGUN = "gridproof: interrupted\n"
ENDS = {
    "adapter new": End("adapter new mine", "shutil.copytree", 1, 130, BEGUN),
    "adapter test": End("adapter test mine", "gridproof.commands.adapter._print", 2, 3, "good         first"),
    "audit, the second run": End("audit a.jsonl b.jsonl", f"{JUDGE}.conclude", 2, 3, "2 runs, "),
    "audit, the pages": End("audit a.jsonl b.jsonl", "gridproof.commands.audit.build_report", 2, 3, "2 runs, "),
    "campaign": End("campaign small.toml", "gridproof_reports.campaigns.campaign.Campaign.run", 1, 130, "0 simulated"),
    "check": End("check --members 1 --backups 0", f"{JUDGE}.observe", 60, 3, "report  interrupted before"),
    "check, the page": End(
        "check --members 1 --backups 0", "gridproof.checks.run.build_report", 1, 0, "report  interrupted before"
    ),
    "compare": End(
        "compare tests.front_door.bad_grids:FEW_PROMISES tests.front_door.bad_grids:AND_BREAKS_A_PROMISE",
        "gridproof.commands.compare.check_apart", 2, 130,
        "only 1 of 2 subjects were audited, so nothing was compared",
    ),
    "completion": End("completion bash", "gridproof.commands.completion.script_for", 1, 130, BEGUN),
    "explain": End(
        "suite explain 43 --mutant X10 --prefixes 6 --continuations 1 --workers 1",
        "gridproof_properties.explaining.curve.count_failing", 2, 1, "the run itself",
    ),
    "explain, at once, nightly": End(
        "suite explain 43 --mutant X10 --prefixes 4 --continuations 1 --workers 1 --out out",
        "gridproof_properties.explaining.curve.count_failing", 1, 1, "interrupted; acknowledged-append-kept is broken",
    ),
    "explore, the page": End(
        "explore two_phase_commit --size 1 --out out", "gridproof.commands.explore._write_page", 1, 0,
        "interrupted; everything was explored",
    ),
    "export": End("export two_phase_commit --out out", "gridproof.commands.export.files", 1, 130, BEGUN),
    "measure, a sweep": End(
        "measure two_phase_commit --size 1 --rate *=1/s --sweep time=1s..4s:3",
        "gridproof.commands.measure.Measurer.measure", 3, 3, "interrupted; 2 of 3 measured",
    ),
    "measure": End("measure durability --rate *=1/s", "gridproof.commands.measure.Measurer.measure", 1, 3, "0 of 1"),
    "measure --sensitivity": End(
        "measure two_phase_commit --size 1 --rate *=1/s --sensitivity",
        "gridproof.commands.measure.Measurer.measure", 3, 3, "that were measured until then: 1",
    ),
    "measure --split": End(
        "measure durability --rate *=1/h --time 1min --split live_copies --trials 2",
        "gridproof.commands.measure.Splitter.probability", 1, 3, "interrupted",
    ),
    "papers": End(
        "papers copysets-2013 --quick --page p.md", "gridproof.output.progress.silent", 1, 3,
        "these are 0 of 1 paper",
    ),
    "properties": End("properties", "gridproof.commands.properties.printable", 1, 130, BEGUN),
    "prove, the proof": End(
        "prove hard.py", "gridproof_properties.proofs.translation.HeedingSolver.check", 1, 3, "it was interrupted"
    ),
    "prove, near the start": End("prove hard.py", "gridproof_properties.proofs.bounded.Unrolling.grow", 3, 1, "broken"),
    "prove, the counterexample": End(
        "prove hard.py", "gridproof_properties.proofs.prove.nearest", 1, 1, "not inductive for"
    ),
    "prove --find": End(
        "prove two_phase_commit --find",
        "gridproof_properties.proofs.translation.HeedingSolver.check",
        5,
        3,
        "not tried",
    ),
    "prove --refines": End(
        "prove voting.py --refines consensus.py --by voting.py:CONSENSUS",
        "gridproof_properties.proofs.translation.HeedingSolver.check", 1, 3, "1,460",
    ),
    "prove --refines, the first world": End(
        "prove voting.py --refines consensus.py --by voting.py:CONSENSUS --json",
        "gridproof_properties.claims.abstraction.compare", 1, 3, '"worlds": []',
    ),
    "reach, nightly": End(
        "suite reach --runs 4 --workers 1", "suite.reach.measure.Reach.add", 2, 130, "1 run of"
    ),
    "replay": End("replay 3 --members 2", f"{JUDGE}.observe", 30, 3, "`gridproof simulate` compares more"),
    "report": End("report run", "gridproof.commands.report.make_report", 1, 3, "interrupted; no page is written"),
    "show": End("show two_phase_commit", "gridproof.commands.show.page", 1, 130, BEGUN),
    "simulate": End(
        "simulate --runs 16 --members 1 --workers 1", "gridproof_properties.campaign.seeds.judge_seed", 9, 130,
        "these are 8 of 16 runs",
    ),
    "simulate, one run": End("simulate --members 2 --out out", f"{JUDGE}.observe", 300, 3, "trace   out/trace.jsonl"),
    "specs": End("specs --json", "json.dumps", 1, 130, BEGUN),
    "story": End("story answer-takes-back", "gridproof_properties.stories.record.play_all", 1, 3, "0 stories played"),
    "study": End("study campaign", "gridproof.commands.study.Store", 1, 130, BEGUN),
    "study, the second cell": End(
        "study campaign", "gridproof_reports.campaigns.study.estimate_cell", 2, 130, "1 of 2 cells, 0 differences was",
    ),
    "study, its differences": End(
        "study campaign", "gridproof_reports.campaigns.study._difference", 3, 130, "2 of 2 cells, 2 differences was",
    ),
    "study, the page": End("study campaign", "gridproof_reports.pages.study.render_study", 1, 0, "no page is written"),
    "systems": End("systems --json", "json.dumps", 1, 130, BEGUN),
    "validate": End("validate a.jsonl --specification ownership", f"{JUDGE}.observe", 3, 3, "unknown"),
    "validate, a log": End(
        "validate ring.jsonl --table table.py", "gridproof_properties.validation.engine.Validation.take", 2, 3,
        "line 2: interrupted",
    ),
    "killed": End("suite killed", "suite.commands.killed.text", 1, 130, BEGUN),
    "unseen": End("suite unseen B0616970", "suite.commands.unseen.search_unseen", 1, 130, "explanations are searched"),
    "slips": End("suite slips two_phase_commit", "suite.commands.slips.score", 1, 130, BEGUN),
    "tests": End("suite tests placement", "suite.commands.tests.preload", 1, 130, BEGUN),
    "coverage": End("suite coverage", "suite.commands.coverage.cover_seeds", 1, 130, BEGUN),
    "explain, a weakness": End(
        "explain 2 --of acknowledged-write-kept --members 3 --backups 0 --faults crash --prefixes 3 --workers 1",
        "gridproof_properties.explaining.curve.count_failing", 1, 0, "interrupted; acknowledged-write-kept is weak",
    ),
    "zoo": End("suite zoo M01 M22 --budget 1", "suite.commands.zoo.search_from", 2, 130, "these are 1 of 2 mutants"),
    "blind, nightly": End("suite blind --draw 1 --runs 1", "suite.commands.blind.measure", 1, 130, "are 0 of 1"),
}  # fmt: skip


def test_every_command_stands_in_the_table() -> None:
    asked = {end.words.removeprefix("suite ").split()[0] for end in ENDS.values()}

    assert asked == {one.name for one in (*COMMANDS, *SUITE.commands)}


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[End], None]]:
    """Has Ctrl-C come at a call."""

    def at(end: End) -> None:
        *path, name = end.place.split(".")
        owner: object = importlib.import_module(".".join(one for one in path if not one[0].isupper()))
        for one in path:
            owner = getattr(owner, one) if one[0].isupper() else owner
        known, calls = getattr(owner, name), 0

        def called(*positional: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls == end.call:
                fired.append(end)
                signal.raise_signal(signal.SIGINT)
            return known(*positional, **named)

        monkeypatch.setattr(owner, name, called)

    fired: list[End] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield at
    assert len(fired) == 1, "nobody was interrupted"
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def files(gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the commands of the table name."""
    for name in ("a", "b"):
        with write_trace(tmp_path / f"{name}.jsonl") as writer:
            for record in TraceBuilder().join(0, 1).wait(100).join(2).records:
                writer.write(replace(record, run=name))
    log_of(write_ring(tmp_path, monkeypatch), "ring.jsonl", "1")
    (tmp_path / "run").mkdir()
    shutil.copy(tmp_path / "a.jsonl", tmp_path / "run" / "trace.jsonl")
    (tmp_path / "small.toml").write_text("runs = 1\n[grid]\nmembers = [1, 2]\n")
    (tmp_path / "hard.py").write_text(HARD)
    for name in ("voting.py", "consensus.py"):
        shutil.copy(ROOT / "docs" / "examples" / name, tmp_path)
    parts = [Examined("first", (), was_reached=True), Examined("second", (), was_reached=True)]
    monkeypatch.setattr("gridproof.commands.adapter.try_any_agent", lambda _: iter(parts))


def simulate_campaign(file: Path, folder: Path) -> None:
    """Simulate one run of each cell."""
    plan, store = read_plan(file), Store(folder)
    store.open(plan)
    for cell, options in enumerate(plan.draw_options()):
        part = Part(cell, 0, 0)
        store.write(part, make_part(part, plan.cells[cell], options, steps=False))


@pytest.mark.parametrize(
    "end",
    [pytest.param(end, id=name, marks=[pytest.mark.nightly] * ("nightly" in name)) for name, end in ENDS.items()],
)
@pytest.mark.usefixtures("files")
def test_what_was_found_until_then_is_said_with_its_status(
    end: End, gridproof: CommandLine, interrupted: Callable[[End], None]
) -> None:
    if end.words == "adapter test mine":
        gridproof("adapter", "new", "mine")
    if end.words == "study campaign":
        simulate_campaign(Path("small.toml"), Path("campaign"))
    interrupted(end)

    ended = gridproof(*end.words.split())

    assert end.said in ended.out + ended.err
    assert ended.status == end.status
    assert "Traceback" not in ended.err
    assert not list(Path().rglob(".gridproof-*"))
