"""What a report says, before it has a look."""

import pytest

from gridproof_implementation.adapter import Promise, PromiseWord
from gridproof_properties.judging.judge import Finding, Judge, Property, Severity
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, outcome
from gridproof_reports.contents.report import headline, verdict_rows
from gridproof_reports.contents.summary import SummaryEntry, properties_of
from tests.reports.sample_run import VERDICTS

H, B, U = Result.HOLDS, Result.BROKEN, Result.UNKNOWN


def verdicts(*results: Result, promise: PromiseLevel = PromiseLevel.PROMISED) -> list[Verdict]:
    """Return verdicts with these results."""
    return [Verdict(f"p{index}", result, "", (), promise) for index, result in enumerate(results)]


def test_what_is_promised_comes_first() -> None:
    assert [row.verdict.property for row in verdict_rows(VERDICTS, (), {})] == [
        "acknowledged-writes-survive",
        "full-rows",
        "one-replica-per-member",
        "no-duplicate-execution",
        "balance",
    ]


def test_among_the_promised_the_worst_is_on_top() -> None:
    assert [row.verdict.property for row in verdict_rows(verdicts(H, U, B), (), {})] == ["p2", "p1", "p0"]


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ((), "Nothing was promised, so nothing can be broken."),
        ((H,), "The 1 promised property holds."),
        ((H, H), "All 2 promised properties hold."),
        ((H, U), "1 of 2 promised properties holds, none is broken; 1 undecided."),
        ((B, U, H), "1 of 3 promised properties is broken."),
        ((B, B), "2 of 2 promised properties are broken."),
    ],
)
def test_the_headline_says_the_worst(results: tuple[Result, ...], words: str) -> None:
    assert headline(verdicts(*results)) == words


def test_what_is_lost_and_not_promised_is_in_the_headline() -> None:
    lost = Verdict("acknowledged-write-kept", B, "", (), PromiseLevel.NONE)

    assert headline([*verdicts(H), lost]) == (
        "The 1 promised property holds. Not promised here, and broken: acknowledged-write-kept."
    )


def test_what_was_not_promised_never_spoils_the_outcome() -> None:
    assert outcome([*verdicts(H), *verdicts(B, promise=PromiseLevel.WEAKNESS)]) is H


def test_nothing_promised_is_unknown() -> None:
    assert outcome(verdicts(H, promise=PromiseLevel.NONE)) is U


@pytest.mark.parametrize(
    ("word", "said"),
    [(PromiseWord.PROMISED, "promised"), (PromiseWord.WEAKNESS, "admitted"), (PromiseWord.WITHDRAWN, "withdrawn")],
)
def test_a_row_says_what_was_meant_and_where(word: PromiseWord, said: str) -> None:
    prop = Property("p0", "All is well.", "seed: Backups", Severity.PROTOCOL, Nobody)

    row = verdict_rows(verdicts(H), [prop], {"p0": Promise(word, "its manual")})[0]

    assert (row.statement, row.source) == ("All is well.", "seed: Backups")
    assert row.promise_source == f"{said} in its manual"


def test_runs_of_one_system_have_their_name_and_seed_as_heading() -> None:
    two = [SummaryEntry("valkey", "8", (), run=f"night-{seed}", seed=seed) for seed in (1, 2)]

    assert [entry.heading for entry in two] == ["night-1, seed 1", "night-2, seed 2"]
    assert SummaryEntry("valkey", "8", (), run="seed-1-again-1", seed=1).heading == "seed-1-again-1"
    assert SummaryEntry("valkey", "8", ()).heading == "valkey"


def test_what_is_promised_and_broken_has_its_name_in_a_list_of_runs() -> None:
    not_promised = verdicts(B, B, B, promise=PromiseLevel.NONE)[2]

    assert SummaryEntry("valkey", "8", (*verdicts(H, B), not_promised)).broken == ("p1",)


def test_a_system_that_could_not_be_opened_is_unknown() -> None:
    entry = SummaryEntry("valkey", "", (), failure="valkey is not installed")

    assert (entry.outcome, entry.headline) == (U, "valkey is not installed")


def test_properties_promised_by_most_come_first() -> None:
    entries = [SummaryEntry("a", "1", tuple(verdicts(H))), SummaryEntry("b", "1", tuple(verdicts(H, H)))]

    assert properties_of(entries) == ("p0", "p1")


class Nobody(Judge):
    """A judge that is never asked."""

    def observe(self, record: object) -> None: ...

    def conclude(self) -> Finding:
        raise AssertionError
