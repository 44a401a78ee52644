"""The page of reach is read, checked and made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from suite.reach import page as pages
from suite.reach.measure import Reach, ReachOfRun, measure
from suite.reach.page import Checked, Page, check_page, fallen, fits, make_page, read_page, with_reasons
from suite.reach.probes import Kind
from suite.reach.survey import Survey, survey
from tests.suite.reach.tiny import PACKAGES, PLAY, tiny

__all__ = ["tiny"]

COUNTER = "tiny.rules.counter"


@pytest.fixture
def surveyed(tiny: Path) -> Survey:
    return survey(PACKAGES)


@pytest.fixture
def reach(tiny: Path) -> Reach:
    return measure(range(4), packages=PACKAGES, play=PLAY)


@pytest.fixture
def page(surveyed: Survey, reach: Reach) -> Page:
    return read_page(make_page(surveyed, reach))


def test_a_page_lists_what_no_run_reaches_and_no_way_of_it(page: Page) -> None:
    assert page.unreached == {f"{COUNTER}.never": "nobody has said why"}


def test_a_page_names_seeds_that_reach_the_rest(page: Page) -> None:
    assert page.seeds == (2,)


def test_what_few_runs_reach_is_listed_with_their_number(
    surveyed: Survey, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SELDOM", 1_000)

    assert read_page(make_page(surveyed, reach)).seldom[f"{COUNTER}.Counter._stop"] == 2


def test_a_condition_with_a_bar_survives_the_table(tiny: Path) -> None:
    tiny.write_text("def f(x):\n    if isinstance(x, int | str):\n        return x\n", encoding="utf-8")
    reach = Reach()
    reach.add(ReachOfRun(0, 0b1, 0.0))

    page = read_page(make_page(survey(PACKAGES), reach))
    assert f"{COUNTER}.f: when `isinstance(x, int | str)`" in page.unreached


def test_what_is_reached_or_listed_has_not_fallen(surveyed: Survey, reach: Reach, page: Page) -> None:
    assert list(fallen(surveyed, reach.counts, page)) == []


def test_a_planted_unreached_rule_is_named(tiny: Path, page: Page) -> None:
    tiny.write_text(f"{tiny.read_text('utf-8')}\n\ndef planted():\n    return 1\n", encoding="utf-8")

    reach = measure(range(4), packages=PACKAGES, play=PLAY)
    assert list(fallen(survey(PACKAGES), reach.counts, page)) == [f"{COUNTER}.planted"]


def test_a_planted_unreached_way_is_named(tiny: Path, page: Page) -> None:
    tiny.write_text(tiny.read_text("utf-8").replace("        return 5", "        return 5 if self else 6"), "utf-8")

    reach = measure(range(4), packages=PACKAGES, play=PLAY)
    assert list(fallen(survey(PACKAGES), reach.counts, page)) == [f"{COUNTER}.Counter._stop: unless `self`"]


def test_more_seeds_are_tried_for_what_the_pages_own_miss(
    surveyed: Survey, reach: Reach, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "survey", lambda: surveyed)
    monkeypatch.setattr(pages, "runs_of", lambda seeds, workers: (reach.runs[seed] for seed in seeds))
    monkeypatch.setattr(pages, "MORE_RUNS", 4)

    assert check_page(Page(page.unreached, {}, (0, 1))) == Checked(3, (), ())


def test_a_name_that_nothing_has_any_more_is_said(surveyed: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "survey", lambda: surveyed)
    monkeypatch.setattr(pages, "runs_of", no_runs)
    checked = check_page(Page({f"{COUNTER}.gone": "reason"}, {}, ()))

    assert checked.unknown == (f"{COUNTER}.gone",)
    assert any(f"there is no {COUNTER}.gone any more" in sentence for sentence in checked.sentences())


def test_reasons_are_put_in_without_measuring(surveyed: Survey, reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    text = make_page(surveyed, reach)
    monkeypatch.setattr(pages, "reason_for", lambda name: f"nobody asks for {name}")

    changed = with_reasons(text)
    assert read_page(changed).unreached == {f"{COUNTER}.never": f"nobody asks for {COUNTER}.never"}
    assert len(changed.splitlines()) == len(text.splitlines())


def test_a_page_without_seeds_is_none() -> None:
    with pytest.raises(ValueError, match="no line that begins with `Seeds:`"):
        read_page("# Something else")


@pytest.mark.parametrize(
    ("pattern", "is_meant"),
    [
        ("a.b.c", True),
        ("a.b.*", True),
        ("a.*: when `x[0]`", False),
        ("a.b", False),
    ],
)
def test_a_pattern_stands_for_names(pattern: str, is_meant: bool) -> None:
    assert fits(pattern, "a.b.c") is is_meant


def test_every_point_of_the_implementation_has_a_name_of_its_own() -> None:
    names = [point.name for point in survey().points if point.kind is not Kind.STEP]

    assert len(names) == len(set(names))


def no_runs(seeds: object, workers: int) -> Iterator[object]:
    return iter(())
