"""`gridproof report`, as typed."""

import re
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine


def test_the_page_is_made_again_from_the_trace(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("check", "--out", tmp_path / "run")
    page = tmp_path / "run" / "report.html"
    page.unlink()

    made = gridproof("report", tmp_path / "run")

    assert made.status == 0
    assert Path(made.out.strip()) == page
    assert "one-replica-per-member" in page.read_text()


@pytest.mark.parametrize(("name", "complaint"), [("absent", "no such folder"), ("", "holds no trace.jsonl")])
def test_a_folder_without_a_trace_is_one_line(
    gridproof: CommandLine, tmp_path: Path, name: str, complaint: str
) -> None:
    wrong = gridproof("report", tmp_path / name)

    assert wrong.status == 2
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1


def test_a_malformed_trace_is_named_with_its_line(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("check", "--out", tmp_path / "run")
    trace = tmp_path / "run" / "trace.jsonl"
    lines = trace.read_text().splitlines()
    lines[4] = lines[4][:20]
    trace.write_text("\n".join(lines) + "\n")

    wrong = gridproof("report", tmp_path / "run")

    assert wrong.status == 2
    assert "trace.jsonl:5: " in wrong.err
    assert wrong.err.count("\n") == 1


def test_the_page_that_lists_several_runs_is_made_again_too(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("check", "--out", tmp_path / "run")
    trace = (tmp_path / "run" / "trace.jsonl").read_text()
    (tmp_path / "runs").mkdir()
    for seed in (10, 9):
        (tmp_path / "runs" / f"seed-{seed}.jsonl").write_text(trace.replace('"seed":0', f'"seed":{seed}', 1))

    made = gridproof("report", tmp_path / "runs")

    index = tmp_path / "runs" / "index.html"
    assert Path(made.out.splitlines()[-1]) == index
    assert index.read_text().index("seed-9.html") < index.read_text().index("seed-10.html")


def test_the_page_that_lists_several_systems_is_made_again_too(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("check", "--system", "reference", "--system", "uhashring", "--out", tmp_path / "both")
    index = tmp_path / "both" / "index.html"
    before = index.read_text()
    index.unlink()

    assert gridproof("report", tmp_path / "both").status == 0
    assert links(index.read_text()) == links(before)


def links(page: str) -> list[str]:
    return re.findall(r'href="([^"#]+)', page)
