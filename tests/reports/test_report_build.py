"""From records to a page."""

import re
from pathlib import Path

import pytest

from gridproof_model.whole_file import write_whole
from gridproof_properties.judging.verdict import OutOfScope, Reason, Result, Verdict
from gridproof_reports.contents.report import Provenance
from gridproof_reports.contents.summary import SummaryEntry
from gridproof_reports.pages.build import ReportError, build_report, build_summary
from tests.reports.html_page import Page
from tests.reports.sample_run import VERDICTS, sample_records


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of the sample run."""
    out = tmp_path_factory.mktemp("report") / "report.html"
    provenance = Provenance("gridproof check --seed 7", "trace.jsonl", 12.4)
    return Page(build_report(sample_records(), VERDICTS, out, provenance))


def test_every_tag_closes(page: Page) -> None:
    assert page.open == []


def test_the_page_needs_nothing_from_elsewhere(page: Page) -> None:
    assert [target for target in page.targets if not target.startswith("#")] == []
    assert "@import" not in page.text
    assert "<script" not in page.text
    assert re.findall(r"url\((?!#)", page.text) == []


def test_every_link_leads_somewhere_and_no_identifier_stands_twice(page: Page) -> None:
    assert {target[1:] for target in page.targets} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)


def test_headings_never_skip_a_level(page: Page) -> None:
    steps = zip(page.headings, page.headings[1:], strict=False)

    assert page.headings[0] == 1
    assert all(lower - higher <= 1 for higher, lower in steps)


def test_verdicts_come_before_witnesses_before_figures(page: Page) -> None:
    places = [page.ids.index(name) for name in ("verdicts", "witnesses", "timeline", "figures")]

    assert places == sorted(places)


def test_a_verdict_is_reported_by_word_and_sign_not_by_colour_alone(page: Page) -> None:
    badges = re.findall(r'<span class="badge (\w+) \w+"><svg class="icon".*?</svg><span class="word">(\w+)<', page.text)

    assert [said for _, said in badges] == ["broken", "undecided", "held", "admitted", "held"]


def test_what_says_nothing_is_folded_away_with_its_reason(tmp_path: Path) -> None:
    unseen = [
        Verdict(f"p{n}", Result.UNKNOWN, "nothing of the kind", reason=reason)
        for n, reason in enumerate([Reason.NEVER_MET, Reason.NEVER_MET, Reason.NOT_LOOKED_AT])
    ]

    text = build_report(sample_records(12, 2), [*VERDICTS, *unseen], tmp_path / "r.html").read_text()

    assert "<summary>2 promised properties never met: the run has the records" in text
    assert "<summary>1 promised property not looked at: the run has none of the records" in text


def test_what_the_documents_admit_is_counted_in_a_table_of_its_own(tmp_path: Path) -> None:
    out = (OutOfScope("the partition moved", "N6", 40, 3), OutOfScope("a message got lost", "N5", 7, 0))
    verdict = Verdict("p", Result.HOLDS, "12 reads", compared=12, out_of_scope=out)

    text = build_report(sample_records(12, 2), [verdict], tmp_path / "r.html").read_text()

    table = text[text.index("What the documents admit, counted") :]
    assert re.findall(r'<td class="count-cell">(\d+)</td>', table) == ["3", "40", "0", "7"]
    assert table.index("the partition moved") < table.index("a message got lost")


def test_every_step_of_every_witness_is_reported(page: Page) -> None:
    assert all(step in page.text for verdict in VERDICTS for step in verdict.witness)


def test_both_colour_schemes_are_there(page: Page) -> None:
    assert "prefers-color-scheme:dark" in page.text


def test_the_line_that_repeats_the_run_is_shown(page: Page) -> None:
    assert "<code>gridproof check --seed 7</code>" in page.text


def test_markup_in_a_sentence_is_shown_not_obeyed(tmp_path: Path) -> None:
    nasty = Verdict("p", Result.BROKEN, "<script>alert(1)</script>", ("<img src=x>",))

    text = build_report(sample_records(12, 2), [nasty], tmp_path / "r.html").read_text()

    assert "<script>" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text


def test_the_same_run_gives_the_same_page(tmp_path: Path, page: Page) -> None:
    provenance = Provenance("gridproof check --seed 7", "trace.jsonl", 12.4)

    again = build_report(sample_records(), VERDICTS, tmp_path / "again.html", provenance)

    assert again.read_text() == page.text


def test_records_without_a_run_make_no_report(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no record of a run"):
        build_report([], (), tmp_path / "r.html")

    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = write_whole(tmp_path / "r.html", "old")
    monkeypatch.setattr("os.replace", interrupt)

    with pytest.raises(KeyboardInterrupt):
        write_whole(page, "new")

    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def interrupt(source: str, target: Path) -> None:
    """Stand in for a rename that never happens."""
    raise KeyboardInterrupt


def test_the_summary_links_every_report_from_where_it_lies(tmp_path: Path) -> None:
    entries = [
        SummaryEntry("samplegrid", "1.4", VERDICTS, tmp_path / "sample grid" / "report.html", 3.0),
        SummaryEntry("absent", "", (), failure="absent is not installed: install it"),
    ]

    summary = Page(build_summary(entries, tmp_path / "index.html"))

    assert [target for target in summary.targets if not target.startswith("#")] == ["sample%20grid/report.html"]
    assert summary.open == []
    assert "absent is not installed: install it" in summary.text
    assert all(verdict.property in summary.text for verdict in VERDICTS)


@pytest.mark.parametrize(
    ("systems", "heading"),
    [(("a", "b"), "2 systems, judged"), (("a",), "1 system, judged"), (("a", "a", "b"), "3 runs, judged")],
)
def test_the_summary_counts_runs_where_a_system_has_several(
    tmp_path: Path, systems: tuple[str, ...], heading: str
) -> None:
    entries = [SummaryEntry(system, "1", VERDICTS) for system in systems]

    assert heading in Page(build_summary(entries, tmp_path / "index.html")).text
