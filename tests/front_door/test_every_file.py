"""Every option that names a file or a folder to be written, and what may stand there.

What is good is written whole, a link followed; what is not is one line before any work begins, and nothing is changed.
"""

import os
import shutil
import signal
from pathlib import Path

import pytest

from gridproof_implementation.trace import write_trace
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.front_door.command_line import CommandLine
from tests.front_door.test_every_end import HARD
from tools.options_page import parsers

FILES = {
    ("suite zoo", "--junit"): "suite zoo M28 --junit {}",
    ("suite zoo", "--sarif"): "suite zoo M28 --sarif {}",
    ("audit", "--junit"): "audit a.jsonl --junit {}",
    ("audit", "--sarif"): "audit a.jsonl --sarif {}",
    ("audit", "--write-baseline"): "audit a.jsonl --write-baseline {}",
    ("check", "--junit"): "check --system reference --junit {}",
    ("check", "--sarif"): "check --system reference --sarif {}",
    ("check", "--write-baseline"): "check --system reference --write-baseline {}",
    ("compare", "--junit"): "compare jump-consistent-hash uhashring --junit {}",
    ("compare", "--sarif"): "compare jump-consistent-hash uhashring --sarif {}",
    ("compare", "--write-baseline"): "compare jump-consistent-hash uhashring --write-baseline {}",
    ("papers", "--page"): "papers data-loss-1988 --page {}",
    ("suite reach", "--page"): "suite reach --runs 1 --page {}",
    ("story", "--page"): "story answer-takes-back --page {}",
    ("replay", "--svg"): "replay story.json --svg {}",
    ("prove", "--out"): "prove hard.py --out {}",
    ("prove", "--graph"): "prove hard.py --graph {}",
}
FOLDERS = {
    ("check", "--out"): "check --members 1 --out {}",
    ("compare", "--out"): "compare jump-consistent-hash uhashring --out {}",
    ("audit", "--out"): "audit a.jsonl --out {}",
    ("simulate", "--out"): "simulate --members 1 --out {}",
    ("replay", "--out"): "replay story.json --out {}",
    ("explain", "--out"): "explain 2 --of acknowledged-write-kept --members 3 --backups 0 --faults crash --out {}",
    ("suite explain", "--out"): "suite explain 43 --mutant X10 --out {}",
    ("explore", "--out"): "explore two_phase_commit --size 1 --out {}",
    ("measure", "--out"): "measure durability --rate *=1/s --out {}",
    ("validate", "--out"): "validate a.jsonl --specification ownership --out {}",
    ("export", "--out"): "export two_phase_commit --out {}",
    ("campaign", "--out"): "campaign small.toml --out {}",
    ("adapter", "name"): "adapter new {}",
}
NEEDS_A_CAMPAIGN = {("study", "--out")}
ARE_READ = {
    *((command, "--config") for command in ("check", "simulate", "replay", "explain", "campaign", "suite coverage")),
    ("compare", "--scenario"), ("compare", "--baseline"), ("check", "--scenario"), ("check", "--baseline"),
    ("audit", "--baseline"), ("suite reach", "--check"), ("check", "--promises"), ("audit", "--promises"),
    ("audit", "traces"), ("report", "folder"), ("study", "folder"), ("campaign", "file"), ("validate", "recorded"),
    ("measure", "--like"),
}  # fmt: skip
ARE_CHANGED = {("suite reach", "--reasons")}
STORY = """{"format": 1, "specification": "two_phase_commit", "constants": {"size": 1}, "shows": "Aborts.", "start": 0,
 "events": [["manager_chooses_to_abort", 0]], "cycle_from": null}"""
QUICK = [
    ("suite zoo", "--junit"),
    ("audit", "--sarif"),
    ("audit", "--write-baseline"),
    ("replay", "--svg"),
    ("prove", "--out"),
]
NO_FILES = ("a folder", "a link to a folder", "in a file", "a device", "a link to a device", "a pipe", "in /proc")
NO_FOLDERS = ("a file", "a link to a file", "in a file", "a device", "in /proc")


def test_every_option_stands_in_a_table() -> None:
    found = set[tuple[str, str]]()
    for command, parser in parsers().items():
        for action in parser._actions:
            if action.type is Path:
                name = command.removesuffix(" new").removesuffix(" test")
                found.add((name, action.option_strings[-1] if action.option_strings else action.dest))

    assert found == ({*FILES, *FOLDERS, *NEEDS_A_CAMPAIGN, *ARE_READ, *ARE_CHANGED} - {("adapter", "name")})


@pytest.fixture
def files(gridproof: CommandLine, tmp_path: Path) -> None:
    """Whatever the commands name."""
    with write_trace(tmp_path / "a.jsonl") as writer:
        for record in TraceBuilder().join(0, 1).wait(100).join(2).records:
            writer.write(record)
    (tmp_path / "small.toml").write_text("runs = 2\n")
    (tmp_path / "hard.py").write_text(HARD)
    (tmp_path / "story.json").write_text(STORY)


def target(what: str) -> str:
    """Make what no file, or no folder, can be written at."""
    Path("folder").mkdir()
    (Path("folder") / "kept").touch()
    Path("file").write_text("kept")
    match what:
        case "a link to a folder":
            Path("link").symlink_to("folder")
        case "a link to a file":
            Path("link").symlink_to("file")
        case "a link to a device":
            Path("link").symlink_to("/dev/full")
        case "a pipe":
            os.mkfifo("pipe")
        case _:
            pass
    places = {"a folder": "folder", "a file": "file", "in a file": "file/x", "a device": "/dev/full", "a pipe": "pipe"}
    return {**places, "in /proc": "/proc/nothing/x"}.get(what, "link")


def around() -> dict[str, str | None]:
    """Everything that stands here, with what files hold."""
    return {
        str(one): one.read_text("latin-1") if one.is_file() and not one.is_symlink() else None
        for one in Path().rglob("*")
        if "__pycache__" not in one.parts
    }


BAD = [(key, line, what) for key, line in FILES.items() for what in NO_FILES]
BAD += [(key, line, what) for key, line in FOLDERS.items() for what in NO_FOLDERS]
SIMULATED_FIRST = ("suite explain", "--out")
"""Its run is simulated before there is anything to write: by day for one place; `explain` has them all."""


@pytest.mark.parametrize(
    ("key", "line", "what"),
    [
        pytest.param(
            key,
            line,
            what,
            id=f"{'-'.join(key)}-{line}-{what}",
            marks=[pytest.mark.nightly] * (key == SIMULATED_FIRST and what != "a file"),
        )
        for key, line, what in BAD
    ],
)
@pytest.mark.usefixtures("files")
def test_what_cannot_be_written_is_one_line_and_nothing_is_changed(
    key: tuple[str, str], line: str, what: str, gridproof: CommandLine
) -> None:
    place = target(what)
    before = around()

    wrong = gridproof(*line.format(place).split())

    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (ExitStatus.WRONG_USE, "", 1)
    assert place in wrong.err
    assert around() == before


@pytest.mark.parametrize("key", QUICK, ids="-".join)
@pytest.mark.parametrize("link", ["to nothing", "to a file"])
@pytest.mark.usefixtures("files")
def test_a_link_is_followed_and_what_it_leads_to_is_whole(
    key: tuple[str, str], link: str, gridproof: CommandLine
) -> None:
    Path("link.x").symlink_to("deep.x")
    if link == "to a file":
        Path("deep.x").write_text("older")
    done = gridproof(*FILES[key].format("link.x").split())

    if link == "to a file" and key in {("replay", "--svg"), ("prove", "--out")}:
        assert (done.status, Path("deep.x").read_text()) == (ExitStatus.WRONG_USE, "older")
    else:
        assert done.status != ExitStatus.WRONG_USE
        assert Path("deep.x").read_text() not in ("older", "")
    assert Path("link.x").is_symlink()


@pytest.mark.parametrize("key", QUICK[:3], ids="-".join)
@pytest.mark.usefixtures("files")
def test_a_full_disk_leaves_the_older_file(
    key: tuple[str, str], gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("older.x").write_text("older")
    gridproof("audit", "a.jsonl", "--out", "audited")

    def refuse(place: Path, _: object) -> None:
        if place.name == "older.x":
            raise OSError(28, "No space left on device", str(place))

    monkeypatch.setattr("gridproof.output.folders.write_whole", refuse)
    done = gridproof(*FILES[key].format("older.x").split())

    assert done.status == ExitStatus.WRONG_USE
    assert "older.x: No space left on device; name another file\n" in done.err
    assert Path("older.x").read_text() == "older"


@pytest.mark.usefixtures("files")
def test_an_agent_is_written_whole_or_not_at_all(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "copy", lambda *_: signal.raise_signal(signal.SIGINT))
    before = around()

    assert gridproof("adapter", "new", "deep/mine").status == ExitStatus.INTERRUPTED
    assert {name for name in around() if name not in before} <= {"deep"}
