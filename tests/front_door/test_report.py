"""`gridproof report`, as typed."""

import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from gridproof.cli import main
from tests.front_door.command_line import CommandLine
from tests.front_door.few_keys import ask_for_few_keys

pytestmark = pytest.mark.xdist_group("report")
"""One worker checks once."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one check leaves behind."""
    folder = tmp_path_factory.mktemp("checked") / "run"
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()):
        ask_for_few_keys(patch)
        main(["check", "--out", str(folder)])
    return folder


@pytest.fixture
def run(checked: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(checked, tmp_path / "run"))


def test_the_page_is_made_again_from_the_trace(gridproof: CommandLine, run: Path) -> None:
    page = run / "report.html"
    page.unlink()

    made = gridproof("report", run)

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


def test_a_malformed_trace_is_named_with_its_line(gridproof: CommandLine, run: Path) -> None:
    trace = run / "trace.jsonl"
    lines = trace.read_text().splitlines()
    lines[4] = lines[4][:20]
    trace.write_text("\n".join(lines) + "\n")

    wrong = gridproof("report", run)

    assert wrong.status == 2
    assert "trace.jsonl:5: " in wrong.err
    assert wrong.err.count("\n") == 1


def test_a_trace_of_several_runs_is_not_reported_by_its_first_run(gridproof: CommandLine, run: Path) -> None:
    trace = run / "trace.jsonl"
    one = trace.read_text()
    trace.write_text(one + one.replace('"run":"', '"run":"other-'))

    wrong = gridproof("report", run)

    assert (wrong.status, wrong.out) == (2, "")
    assert f"judge it by `gridproof audit {trace}`" in wrong.err


def test_the_page_that_lists_several_runs_is_made_again_too(gridproof: CommandLine, run: Path, tmp_path: Path) -> None:
    trace = (run / "trace.jsonl").read_text()
    (tmp_path / "runs").mkdir()
    for seed in (10, 9):
        (tmp_path / "runs" / f"seed-{seed}.jsonl").write_text(trace.replace('"seed":0', f'"seed":{seed}', 1))

    made = gridproof("report", tmp_path / "runs")

    index = tmp_path / "runs" / "index.html"
    assert Path(made.out.splitlines()[-1]) == index
    assert index.read_text().index("seed-9.html") < index.read_text().index("seed-10.html")


def test_the_page_of_two_that_were_compared_stays_as_it_is(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof(
        "compare",
        "tests.front_door.bad_grids:FEW_PROMISES",
        "tests.front_door.bad_grids:AND_BREAKS_A_PROMISE",
        "--out",
        tmp_path / "two",
    )
    before = (tmp_path / "two" / "index.html").read_text()

    wrong = gridproof("report", tmp_path / "two")

    assert (wrong.status, "holds no trace.jsonl" in wrong.err) == (2, True)
    assert (tmp_path / "two" / "index.html").read_text() == before
