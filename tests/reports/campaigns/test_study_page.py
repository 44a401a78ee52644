"""The page, figures and tables of a study."""

import csv
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.rows import file_of
from gridproof_reports.campaigns.store import Store
from gridproof_reports.campaigns.study import Study, study_campaign
from gridproof_reports.campaigns.study_figures import draw_figures, draw_files, short
from gridproof_reports.campaigns.study_tables import write_tables
from gridproof_reports.pages.study import render_study
from tests.reports.campaigns.test_estimates import row
from tests.reports.campaigns.test_estimates import store as store


@pytest.fixture
def study(store: Store) -> Study:
    """A study of two cells."""
    return study_campaign(store, [], lambda *_: None)


def test_the_page_says_what_happened_what_never_did_and_what_differs(study: Study) -> None:
    page = render_study(study, "gridproof study made")

    assert "80 runs of 2 cells; acknowledged writes are lost in 10 runs, 0.062 of all that were acknowledged" in page
    assert "acknowledged; no promised property is broken" in page
    assert "sync-backups 0 → 1" in page
    assert "gridproof replay 0 --set grid=plain --set sync-backups=1" in page
    assert "runs broken" in page.split("What never happened")[-1]


def test_an_estimate_that_ended_its_own_campaign_is_said_to_be_off(study: Study) -> None:
    page = render_study(replace(study, until="loss ± 10 %"), "gridproof study made")

    assert "Runs were added until loss ± 10 %: an estimate that ends its own campaign is off" in page
    assert "ends its own campaign" not in render_study(study, "gridproof study made")


def test_a_figure_has_a_point_for_each_cell_and_its_numbers(study: Study) -> None:
    figure = next(one for one in draw_figures(study) if one.name == "loss")

    assert [row[:3] for row in figure.numbers.rows] == [("0", "40", "0.125"), ("1", "40", "0")]
    assert figure.panels[0].svg.startswith("<svg")
    assert 'aria-label="0: 0.125, 1: 0"' in figure.panels[0].svg


def test_a_figure_in_a_file_of_its_own_says_what_it_shows(study: Study) -> None:
    drawing = dict(draw_files(study))["loss"]

    assert ">Acknowledged writes that are lost<" in drawing
    assert ">simulated, 40 runs a cell, bars 99 %<" in drawing
    assert ">sync-backups, evenly spaced<" in drawing


def test_cells_with_the_same_numbers_are_drawn_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "twins")
    axes = (("sync-backups", ("0", "1")), ("backup-acks", ("sync", "async")))
    store.open(Plan((("grid", "plain"),), axes, runs=40))
    for cell, lost in enumerate((5, 5, 1, 2)):
        rows = [row(cell, seed, lost=lost * (seed % 4 == 0)) for seed in range(40)]
        store.write(Part(cell, 0, 39), file_of(rows, ["grid", "sync-backups", "backup-acks"]))

    figure = next(one for one in draw_figures(study_campaign(store, ["loss"], lambda *_: None)))

    assert 'aria-label="backup-acks sync: 0: 0.125, 1: 0.025; backup-acks async: 1: 0.05"' in figure.panels[0].svg
    assert "Cells with the same numbers are drawn once." in figure.caption
    assert len(figure.numbers.rows) == 4


def test_the_same_study_is_the_same_page(study: Study) -> None:
    assert render_study(study, "x") == render_study(study, "x")


def test_both_tables_are_written_in_both_forms(study: Study, tmp_path: Path) -> None:
    files = write_tables(study, tmp_path)

    with (tmp_path / "estimates.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {path.name for path in files} == {
        "estimates.csv", "estimates.parquet", "differences.csv", "differences.parquet",
    }  # fmt: skip
    assert (rows[0]["estimate"], rows[0]["value"], rows[0]["set_sync_backups"]) == ("loss", "0.125", "0")
    assert parquet.read_table(tmp_path / "estimates.parquet").num_rows == len(rows)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "0"), (0.12345, "0.123"), (12345.6, "12,346"), (1.5e-7, "1.50e-07"), (float("nan"), "–")],
)
def test_numbers_have_three_digits(value: float, expected: str) -> None:
    assert short(value) == expected
