"""`gridproof validate --out`: the page with the first refused event of each run."""

import shutil
from pathlib import Path

import pytest

from gridproof_implementation.trace import write_trace
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder
from tests.front_door.command_line import CommandLine
from tests.front_door.ring_log import log_of, with_a_gap, write_ring
from tests.reports.html_page import Page

MARK = 'class="refused"'
"""What the picture marks the refused event with."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_ring(tmp_path, monkeypatch)


@pytest.fixture
def trace(gridproof: CommandLine, folder: Path) -> Path:
    """A simulated run with the steps of its members."""
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")
    return folder / "run" / "trace.jsonl"


def test_without_a_folder_nothing_is_written(gridproof: CommandLine, trace: Path, folder: Path) -> None:
    before = sorted(folder.rglob("*.html"))

    assert gridproof("validate", with_a_gap(trace), "--specification", "replication").status == 1
    assert sorted(folder.rglob("*.html")) == before


def test_the_refused_event_of_a_run_is_drawn(gridproof: CommandLine, trace: Path) -> None:
    printed = gridproof("validate", with_a_gap(trace), "--specification", "replication", "--out", "page")
    page = Page(Path("page/report.html"))

    assert printed.status == 1
    assert printed.out.endswith("report  page/report.html\n")
    assert (page.open, page.text.count(MARK)) == ([], 1)
    assert "The run is refused by replication." in page.text
    assert "actions, would make the guard true" in page.text
    assert "refused: " in page.text
    assert not [target for target in page.targets if not target.startswith("#")], "the page stands by itself"


def test_the_page_is_reported_to_machines(gridproof: CommandLine, trace: Path) -> None:
    found = gridproof("validate", trace, "--specification", "replication", "--out", "page", "--json").json

    assert found["report"] == "page/report.html"


def test_each_refused_run_has_a_picture(gridproof: CommandLine, trace: Path) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 3, "--members", 3, "--steps", "--out", "other")
    shutil.copytree("run", "all/first")
    shutil.copytree("other", "all/second")
    with_a_gap(Path("all/first/trace.jsonl"))
    with_a_gap(Path("all/second/trace.jsonl"))

    assert gridproof("validate", "all", "--specification", "replication", "--out", "page").status == 1
    text = Path("page/report.html").read_text("utf-8")
    assert text.count(MARK) == 2
    assert "All 2 runs are refused by replication." in text


def test_the_refused_line_of_a_log_is_drawn_on_lanes_of_what_its_actions_name(
    gridproof: CommandLine, folder: Path
) -> None:
    log_of(folder, "forgetful.jsonl", "1", "forgetful")

    printed = gridproof("validate", "forgetful.jsonl", "--table", "table.py", "--out", "page")
    text = Path("page/report.html").read_text("utf-8")

    assert printed.status == 1
    assert text.count(MARK) == 1
    assert "refused: line 7: {&quot;event&quot;: &quot;token&quot;" in text
    assert [f">node {number}</text>" in text for number in range(3)] == [True] * 3


def test_where_nothing_is_refused_the_page_says_what_was_compared(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "ring.jsonl", "1")

    printed = gridproof("validate", "ring.jsonl", "--table", "table.py", "--out", "page")
    text = Path("page/report.html").read_text("utf-8")

    assert printed.status == 0
    assert "The log is explained by ewd840." in text
    assert "all 10 lines fit 1 behaviour of ewd840" in text
    assert MARK not in text


def test_a_row_that_a_live_system_showed_is_drawn(gridproof: CommandLine, folder: Path) -> None:
    looks: list[tuple[Row, int]] = [((0, 1), 3), ((0, None), 4)]
    run = TraceBuilder(1).join(0, 1, 2)
    for row, version in looks:
        run = run.wait(200).view("busy", [row], settled=False, versions=[version], observer=2)
    with write_trace(folder / "looks.jsonl") as out:
        for record in run.records:
            out.write(record)

    assert gridproof("validate", "looks.jsonl", "--specification", "ownership", "--out", "page").status == 1
    text = Path("page/report.html").read_text("utf-8")
    assert text.count(MARK) == 1
    assert "member 2 (host-2) showed partition 0 on members [0, -] at version 4" in text


def test_a_folder_with_something_in_it_is_left_alone(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "ring.jsonl", "1")
    kept = folder / "kept"
    kept.mkdir()
    (kept / "report.html").write_text("mine")

    printed = gridproof("validate", "ring.jsonl", "--table", "table.py", "--out", "kept")

    assert printed.status == 2
    assert printed.err == "gridproof: kept is not empty; name another folder with --out, or empty it\n"
    assert [(path.name, path.read_text()) for path in kept.iterdir()] == [("report.html", "mine")]


@pytest.mark.parametrize(
    "words", [("nothing.jsonl", "--table", "table.py"), ("broken.jsonl", "--specification", "replication")]
)
def test_what_cannot_be_read_leaves_no_folder(gridproof: CommandLine, folder: Path, words: tuple[str, ...]) -> None:
    (folder / "broken.jsonl").write_text("{", "utf-8")

    printed = gridproof("validate", *words, "--out", "page")

    assert (printed.status, printed.err.count("\n")) == (2, 1)
    assert not (folder / "page").exists()


def test_what_is_no_text_does_not_spoil_the_page(gridproof: CommandLine, folder: Path) -> None:
    log = '{"event": "idle", "node": 0, "why": "\\ud800 <b>"}\n' * 2
    (folder / "odd.jsonl").write_text(log, "utf-8")

    assert gridproof("validate", "odd.jsonl", "--table", "table.py", "--out", "page").status == 1
    assert "\\ud800 &lt;b&gt;" in Path("page/report.html").read_text("utf-8")


def test_the_page_of_an_audit_draws_it_too(gridproof: CommandLine, trace: Path) -> None:
    gridproof("audit", with_a_gap(trace), "--out", "audited")

    (page,) = Path("audited").glob("*/report.html")
    assert page.read_text("utf-8").count(MARK) == 1
