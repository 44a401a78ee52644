"""The folder of a campaign."""

from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_reports.campaigns.estimate_names import read_until
from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.store import Store, StoreError

PLAN = Plan((("grid", "plain"),), (("members", ("2", "3")),), runs=30, runs_a_part=10)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The folder of a campaign that has begun."""
    store = Store(tmp_path / "campaign")
    store.open(PLAN)
    return store


def parts_of(plan: Plan) -> list[Part]:
    return [part for parts in plan.rounds() for part in parts]


def test_what_is_finished_is_not_missing(store: Store) -> None:
    store.write(Part(1, 10, 19), b"runs")

    assert Part(1, 10, 19) not in store.missing(parts_of(PLAN))
    assert len(store.missing(parts_of(PLAN))) == 5


def test_more_runs_complete_a_part_that_was_the_last(store: Store) -> None:
    store.write(Part(0, 20, 24), b"runs")

    missing = [part for part in store.missing(parts_of(replace(PLAN, runs=40))) if part.cell == 0]
    assert missing == [Part(0, 0, 9), Part(0, 10, 19), Part(0, 25, 29), Part(0, 30, 39)]


def test_a_file_that_was_never_finished_is_no_part(store: Store) -> None:
    (store.folder / "runs" / ".cell-00000-seeds-000000000-000000009.parquet.17").write_bytes(b"half")

    assert list(store.finished()) == []


def test_the_same_plan_goes_on_with_other_numbers_of_runs(store: Store) -> None:
    store.open(replace(PLAN, runs=99, runs_a_part=7))


def test_the_folder_says_by_which_estimate_its_campaign_is_to_end(store: Store) -> None:
    store.open(replace(PLAN, until=read_until("loss ± 10 %")))
    assert store.read_plan()["until"] == "loss ± 10 %"

    store.open(PLAN)
    assert "until" not in store.read_plan()


def test_another_plan_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match=r"already holds a campaign with another value of 'axes'; name another folder"):
        store.open(replace(PLAN, axes=(("members", ("2",)),)))


def test_the_folder_says_what_its_cells_mean(store: Store) -> None:
    assert store.draw_options() == PLAN.draw_options()


def test_cells_that_mean_something_else_by_now_are_refused(tmp_path: Path) -> None:
    times = tmp_path / "times"
    plan = replace(PLAN, common=(("grid", "plain"), ("latency", f"empirical({times})")))
    times.write_text("1\n2\n")
    store = Store(tmp_path / "campaign")
    store.open(plan)
    times.write_text("1\n3\n")

    with pytest.raises(StoreError, match="its cells would stand for other runs now"):
        store.draw_options()


def test_measured_times_that_changed_are_another_campaign(tmp_path: Path) -> None:
    times = tmp_path / "times"
    plan = replace(PLAN, common=(("grid", "plain"), ("latency", f"empirical({times})")))
    times.write_text("1\n2\n")
    Store(tmp_path / "campaign").open(plan)
    times.write_text("1\n3\n")

    with pytest.raises(StoreError, match="another value of 'cells'"):
        Store(tmp_path / "campaign").open(plan)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(StoreError, match="is no folder of a campaign"):
        Store(tmp_path).open(PLAN)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match=r"cannot make the folder .*name another folder with --out"):
        Store(tmp_path / "file" / "campaign").open(PLAN)


def test_a_full_disk_leaves_no_half_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gridproof_reports.campaigns.store.os.fsync", no_space)

    with pytest.raises(StoreError, match="No space left on device; finished runs are kept"):
        store.write(Part(0, 0, 9), b"runs")
    assert list((store.folder / "runs").iterdir()) == []
