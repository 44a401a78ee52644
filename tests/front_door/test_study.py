"""`study`, as typed."""

import json
from pathlib import Path

import pytest

from gridproof_reports.campaigns.store import Store
from tests.front_door.command_line import CommandLine
from tests.front_door.test_campaign import finished as finished
from tests.front_door.test_campaign import plan as plan


def test_a_study_writes_its_page_and_tables_into_the_folder(gridproof: CommandLine, finished: Store) -> None:
    done = gridproof("study", finished.folder)

    assert done.status == 0
    assert {path.name for path in (finished.folder / "study").iterdir()} == {
        "study.html", "figures", "estimates.csv", "estimates.parquet", "differences.csv", "differences.parquet",
    }  # fmt: skip
    assert "8 runs of 2 cells" in done.out


def test_estimates_can_be_chosen_and_read_by_a_machine(gridproof: CommandLine, finished: Store) -> None:
    done = gridproof("study", finished.folder, "--only", "loss,messages_a_write", "--json")

    assert {one["estimate"] for one in done.json["estimates"]} == {"loss", "messages_a_write"}
    assert json.dumps(done.json, allow_nan=False)


def test_a_cell_is_repeated_by_the_line_that_the_page_names(gridproof: CommandLine, finished: Store) -> None:
    gridproof("study", finished.folder)
    page = (finished.folder / "study" / "study.html").read_text()
    line = page.split("<code>gridproof replay")[1].split("</code>")[0]

    again = gridproof("replay", *line.split(), "--at-least", "0")

    assert again.status == 0
    assert "8 operations" in again.out or "operations" in again.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "nothing: is no folder of a campaign"),
        ((".",), "is no folder of a campaign"),
        ((".", "--only", "luck"), "no estimate is called 'luck'"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = gridproof("study", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_campaign_without_a_run_is_one_line(gridproof: CommandLine, finished: Store) -> None:
    for path in (finished.folder / "runs").iterdir():
        path.unlink()

    done = gridproof("study", finished.folder)

    assert done.status == 2
    assert "has no finished run yet" in done.err


def test_a_plan_that_is_none_is_one_line(gridproof: CommandLine, finished: Store) -> None:
    (finished.folder / "plan.json").write_text("[]")

    done = gridproof("study", finished.folder)

    assert done.status == 2
    assert "is no plan of a campaign" in done.err
