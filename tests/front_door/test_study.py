"""`study`, as typed."""

import json
from pathlib import Path

import pytest

from gridproof_reports.campaigns.plan import Part, read_plan
from gridproof_reports.campaigns.rows import make_part
from gridproof_reports.campaigns.store import Store
from tests.front_door.command_line import CommandLine
from tests.front_door.test_campaign import finished as finished
from tests.front_door.test_campaign import plan as plan


def test_a_study_writes_its_page_and_tables_into_the_folder(gridproof: CommandLine, finished: Store) -> None:
    done = gridproof("study", finished.folder)

    assert done.status == 0
    assert {path.name for path in (finished.folder / "study").iterdir()} == {
        "study.html", "figures", "manifest.json", "campaign.toml",
        "estimates.csv", "estimates.parquet", "differences.csv", "differences.parquet",
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
        (("nothing",), "nothing is no folder of a campaign"),
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
    assert not (finished.folder / "study").exists()


def test_a_plan_that_is_none_is_one_line(gridproof: CommandLine, finished: Store) -> None:
    (finished.folder / "plan.json").write_text("[]")

    done = gridproof("study", finished.folder)

    assert done.status == 2
    assert "is no campaign's plan" in done.err


CRASHING = """
runs = 4
steps = false
[set]
workload = "appends"
partitions = 1
members = 2
arrival = "1s"
time = "6s"
crash = "1/5s"
[grid]
sync-backups = [0, 1]
"""


@pytest.fixture
def crashing(tmp_path: Path) -> Store:
    """The folder of a campaign whose members crash."""
    (tmp_path / "crashing.toml").write_text(CRASHING)
    plan, store = read_plan(tmp_path / "crashing.toml"), Store(tmp_path / "gridproof-out" / "campaign-crashing")
    store.open(plan)
    cells, draw_options = plan.cells, plan.draw_options()
    for cell in range(plan.cell_count):
        store.write(Part(cell, 0, 3), make_part(Part(cell, 0, 3), cells[cell], draw_options[cell], steps=False))
    return store


def test_the_exact_number_stands_beside_the_simulated_one(gridproof: CommandLine, crashing: Store) -> None:
    done = gridproof("study", crashing.folder, "--only", "runs_with_loss", "--json")
    alone, backed_up = done.json["exact"]

    assert alone["exact"] is None
    assert "no backup" in alone["verdict"]
    assert backed_up["exact"] == pytest.approx(0.5, abs=0.2)
    assert backed_up["verdict"].startswith(f"{backed_up['exact']:.3g}; ")
    page = (crashing.folder / "study" / "study.html").read_text()
    assert "Runs with a loss, exactly" in page
    assert backed_up["verdict"] in page


def test_where_nobody_crashes_there_is_no_exact_number(gridproof: CommandLine, finished: Store) -> None:
    assert "exact" not in gridproof("study", finished.folder, "--only", "runs_with_loss", "--json").json


LITTLE = ("--trials", "4", "--batches", "3", "--workers", "1")


def test_cells_are_split_where_that_is_asked_for(gridproof: CommandLine, crashing: Store) -> None:
    done = gridproof("study", crashing.folder, "--only", "loss", "--split", "1", *LITTLE)

    assert done.status == 0
    assert "cell 1 (sync-backups 1), by splitting: a run loses an acknowledged write with probability" in done.out
    assert (crashing.folder / "study" / "splits.csv").read_text().count("\n") == 2
    page = (crashing.folder / "study" / "study.html").read_text()
    assert "Runs with a loss, by splitting" in page
    assert f"gridproof study {crashing.folder} --only loss --split 1 --trials 4 --batches 3" in page


def test_a_machine_reads_what_was_split(gridproof: CommandLine, crashing: Store) -> None:
    done = gridproof("study", crashing.folder, "--only", "loss", "--split", "all", *LITTLE, "--json")

    assert [one["cell"] for one in done.json["splits"]] == [0, 1]
    assert all(one["low"] <= one["value"] <= one["high"] for one in done.json["splits"])


def test_ctrl_c_leaves_unknown_what_was_not_split(
    gridproof: CommandLine, crashing: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gridproof_reports.campaigns.split_cells.RunSplitter.probability", interrupt)
    done = gridproof("study", crashing.folder, "--split", "all")

    assert done.status == 3
    assert "by splitting: unknown: interrupted" in done.out
    assert "page    " in done.out


def test_a_cell_that_cannot_be_split_is_one_line(gridproof: CommandLine, finished: Store) -> None:
    done = gridproof("study", finished.folder, "--split")

    assert done.status == 2
    assert "cell 0 cannot be split: no member crashes in its runs, so no copy is lost" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--split", "7"), "--split 7: no cell of this number has finished runs; write unseen, all, or"),
        (("--split", "much"), "--split much: no cell of this number has finished runs"),
        (("--split", "--trials", "0"), "--trials 0: write a whole number from 2 to 1,000,000"),
        (("--split", "--batches", "2"), "--batches 2: write a whole number from 3 to 10,000"),
        (("--workers", "2"), "--workers does not apply to the runs of a campaign"),
    ],
)
def test_a_wrong_use_of_splitting_is_one_line(
    gridproof: CommandLine, crashing: Store, words: tuple[str, ...], said: str
) -> None:
    done = gridproof("study", crashing.folder, *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_study_says_with_what_it_is_made_again(gridproof: CommandLine, finished: Store, tmp_path: Path) -> None:
    gridproof("study", finished.folder)
    made = json.loads((finished.folder / "study" / "manifest.json").read_text())

    again = read_plan(finished.folder / "study" / "campaign.toml")
    assert (again.cell_count, again.runs) == (2, 4)
    other = Store(tmp_path / "again")
    other.open(again)
    assert other.read_plan() == made["plan"]
    assert set(made["files"]) == {path.name for path in (finished.folder / "runs").iterdir()}
