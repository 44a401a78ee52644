"""The answers of two subjects, held against each other."""

from dataclasses import replace

from gridproof_model.events.harness import KeyRefused
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record, RouteRecord
from gridproof_properties.audits.two_subjects import Answers, AnswersCompared, compare_answers

WRITE, READ = OperationKind.WRITE, OperationKind.READ
ASKED = OperationRecord("run", 0, 0, WRITE, "k", 0, "v1", Outcome.OK, None, None, 0, 1, "load")


def asked(kind: OperationKind, value: str | None, key: str = "k", client: int = 0, stage: str = "load") -> Record:
    return replace(ASKED, kind=kind, value=value, key=key, client=client, stage=stage)


def compared(first: list[Record], second: list[Record]) -> AnswersCompared:
    return compare_answers(Answers(first, of_rows=False), Answers(second, of_rows=False))


def test_equal_answers_are_alike_whoever_was_asked_more() -> None:
    one = [asked(WRITE, "v1"), asked(READ, "v1")]
    other = [asked(WRITE, "v1"), asked(WRITE, "v2", "other"), asked(READ, "v1")]

    assert compared(one, other) == AnswersCompared(2, 0, 0, None, (0, 1))


def test_the_first_difference_is_the_first_that_was_asked() -> None:
    one = [asked(WRITE, "v1"), asked(READ, "v1"), asked(READ, "v1", stage="rest")]
    other = [asked(WRITE, "v1"), asked(READ, None, stage="rest"), asked(READ, None)]

    found = compared(one, other)

    assert (found.alike, found.differently) == (1, 2)
    assert found.first is not None
    assert [answer.answer for answer in found.first] == ["'v1'", "nothing"]
    assert found.first[0].number == 1


def test_a_refusal_differs_from_what_was_done() -> None:
    refused = replace(ASKED, outcome=Outcome.REFUSED, reason="not now")

    found = compared([ASKED], [refused])

    assert found.first is not None
    assert found.first[1].answer == "refused: not now"


def test_values_are_the_same_where_the_same_write_wrote_them() -> None:
    one = [asked(WRITE, "v1", "a"), asked(WRITE, "v2"), asked(READ, "v2")]
    other = [asked(WRITE, "v1"), asked(READ, "v1")]

    assert compared(one, other).differently == 0


def test_a_number_that_two_writes_got_by_chance_is_no_likeness() -> None:
    one = [asked(WRITE, "v1"), asked(WRITE, "v2"), asked(READ, "v2")]
    other = [asked(WRITE, "v2"), asked(WRITE, "v3"), asked(READ, "v2")]

    assert compared(one, other).differently == 1


def test_what_two_clients_write_depends_on_the_moment() -> None:
    written = [asked(WRITE, "v1"), asked(WRITE, "v2", client=1)]

    found = compared([*written, asked(READ, "v1")], [*written, asked(READ, "v2")])

    assert (found.differently, found.by_the_moment, found.first) == (0, 1, None)


def test_an_unanswered_read_of_what_two_clients_write_differs_all_the_same() -> None:
    written = [asked(WRITE, "v1"), asked(WRITE, "v2", client=1)]

    found = compared([*written, asked(READ, "v1")], [*written, replace(ASKED, kind=READ, outcome=Outcome.UNKNOWN)])

    assert (found.differently, found.by_the_moment) == (1, 0)


def test_a_key_that_is_refused_differs_from_one_that_is_routed() -> None:
    routed = RouteRecord("run", "string", b"a", 271, 3, "a", boundary=False)
    refused = EventRecord("run", 0, None, KeyRefused("string", "a", "no"))

    found = compared([routed, routed], [routed, refused])

    assert (found.alike, found.differently) == (1, 1)
    assert found.first is not None
    assert [answer.answer for answer in found.first] == ["partition 3", "refused: no"]
