"""What drawn runs reach, held against its page."""

from unittest.mock import patch

from gridproof_implementation.protocol.partitioning.recovery import RepeatFetch, Succession
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from suite.reach.page import NO_REASON, check_page, fits, read_page, reasons
from tests.house.source_tree import ROOT

PAGE = read_page((ROOT / "docs" / "reach.md").read_text(encoding="utf-8"))


def test_nothing_has_fallen_out_of_reach() -> None:
    assert list(check_page(PAGE).sentences()) == []


def test_whatever_no_run_reaches_has_a_reason() -> None:
    assert [name for name, reason in PAGE.unreached.items() if reason == NO_REASON] == [], (
        "give it in reach/reasons.toml"
    )


def test_every_reason_is_about_something_on_the_page() -> None:
    idle = [pattern for pattern, _ in reasons() if not any(fits(pattern, name) for name in PAGE.listed)]

    assert idle == [], "take these out of reach/reasons.toml: many runs reach what they are about"


def test_no_reason_says_that_a_run_cannot_come_there() -> None:
    """That takes a program: "splits alone" was said of what four other faults bring about."""
    strong = ("never", "only by", "cannot", "impossible", "alone bring", "no run can")

    assert [reason for _, reason in reasons() if any(word in reason for word in strong)] == []


def test_a_question_for_tables_is_repeated_without_a_split() -> None:
    faults = ("crash", "drop", "late", "one-way")
    repeated: list[RepeatFetch] = []
    again = Succession.on_repeat

    def on_repeat(succession: Succession, timer: RepeatFetch) -> None:
        repeated.append(timer)
        again(succession, timer)

    with patch.object(Succession, "on_repeat", on_repeat):
        options = DrawOptions(faults=faults, client_operations=60, jobs=False)
        simulate(draw_scenario(862, options), lambda record: None, recorded=())

    assert repeated
