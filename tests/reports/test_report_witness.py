"""Witnesses as stories."""

import pytest

from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_reports.contents.report import explain, members_named
from tests.reports.sample_run import LOST


@pytest.mark.parametrize(
    ("sentence", "members"),
    [
        ("member 2 is killed", (2,)),
        ("Members 0, 3 and 1 agree", (0, 1, 3)),
        ("members 4/5 share a row of member 9", (4, 5, 9)),
        ("partition 7 has 3 copies", ()),
        ("partition 4 was with members [1, 2] and is with [0, 1]", (1, 2)),
        ("a member 12 years old, remembers 3", (12,)),
    ],
)
def test_members_are_found_in_sentences(sentence: str, members: tuple[int, ...]) -> None:
    assert members_named(sentence) == members


def test_lanes_are_the_members_any_step_names() -> None:
    story = explain(LOST)

    assert story.lanes == (0, 1, 2, 3)
    assert [step.members for step in story.steps] == [(0, 1), (2,), (0, 1, 2, 3), (3,)]


@pytest.mark.parametrize(
    ("sentence", "is_crash"),
    [
        ("member 2 (127.0.0.1:5703/b3) crashed", True),
        ("member 1 is killed", True),
        ("members 0 and 1 settle after member 3 crashed", False),
        ("member 0 reads at 'after crash 1'", False),
    ],
)
def test_a_step_reports_a_crash_of_its_one_member(sentence: str, is_crash: bool) -> None:
    story = explain(Verdict("p", Result.BROKEN, "", (sentence,)))

    assert story.steps[0].is_crash is is_crash


def test_too_many_members_make_no_lanes() -> None:
    crowd = Verdict("p", Result.BROKEN, "", tuple(f"member {number} fails" for number in range(9)))

    assert explain(crowd).lanes == ()
