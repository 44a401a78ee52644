"""Observation tables and the logs they read."""

import json
from enum import Enum
from pathlib import Path

import pytest

from gridproof_model.language import Int, OneOf, Specification, Step
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.validation.table import (
    UNRECORDED,
    Line,
    LogError,
    ObservationTable,
    Seen,
    TableError,
    _plain,
    validate_log,
)
from tests.properties.validation.ring import specification


def table(**given: object) -> ObservationTable:
    one = ObservationTable(specification, **given)  # type: ignore[arg-type]

    @one.observes("count")
    def count(line: Line) -> Seen:
        return Seen("counts", (line.number("of"),), after={("value", line.number("of")): line.number("now")})

    @one.observes("some")
    def some(line: Line) -> Seen:
        return Seen("counts", (UNRECORDED,))

    @one.observes("either")
    def either(line: Line) -> list[Seen]:
        return [Seen("counts", (0,)), Seen("is_set_back", (0,))]

    @one.observes("all")
    def whole(line: Line) -> Seen:
        return Seen("counts", (0,), after={"value": line["now"]})

    return one


def read(tmp_path: Path, given: ObservationTable, *lines: dict[str, object] | str) -> Finding:
    return read_to(tmp_path, given, *lines)[0]


def read_to(tmp_path: Path, given: ObservationTable, *lines: dict[str, object] | str) -> tuple[Finding, int | None]:
    path = tmp_path / "log.jsonl"
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), "utf-8")
    return validate_log(path, given)


def count(of: int, now: int, **more: object) -> dict[str, object]:
    return {"event": "count", "of": of, "now": now, **more}


def test_a_log_is_explained(tmp_path: Path) -> None:
    verdict = read(tmp_path, table(), count(0, 1), count(1, 1), "", count(0, 2), {"event": "all", "now": [3, 1]})
    assert verdict.result is Result.HOLDS
    assert verdict.sentence == "all 4 lines fit 1 behaviour of counters; at most 3 states were possible at once"


def test_the_line_that_is_refused_is_named(tmp_path: Path) -> None:
    verdict, number = read_to(tmp_path, table(), count(0, 1), "", count(0, 3))
    assert (verdict.result, number) == (Result.BROKEN, 3)
    assert verdict.sentence == ("line 3: count: the log says value[0] = 3 afterwards, and the specification 2")


def test_an_argument_that_is_not_logged_is_any(tmp_path: Path) -> None:
    assert read(tmp_path, table(), {"event": "some"}, count(1, 2)).result is Result.HOLDS
    assert read(tmp_path, table(), {"event": "some"}, count(1, 3)).result is Result.BROKEN


def test_a_line_may_be_any_of_several_actions(tmp_path: Path) -> None:
    either: dict[str, object] = {"event": "either"}
    assert read(tmp_path, table(), count(0, 1), either, count(0, 3)).result is Result.HOLDS
    assert read(tmp_path, table(), count(0, 1), either, count(0, 1)).result is Result.HOLDS
    assert read(tmp_path, table(), count(0, 1), either, count(0, 2)).result is Result.BROKEN


def test_silent_actions_are_searched_for(tmp_path: Path) -> None:
    assert read(tmp_path, table(silent=["is_set_back"]), count(0, 1), count(0, 1)).result is Result.HOLDS
    assert read(tmp_path, table(), count(0, 1), count(0, 1)).result is Result.BROKEN


def test_each_behaviour_begins_anew(tmp_path: Path) -> None:
    of = [count(0, 1, run="a"), count(0, 1, run="b"), count(0, 2, run="a")]
    verdict = read(tmp_path, table(behaviour="run"), *of)
    assert verdict.result is Result.HOLDS
    assert "2 behaviours" in verdict.sentence
    refused = read(tmp_path, table(behaviour="run"), *of, count(0, 3, run="b"))
    assert refused.sentence.startswith("line 4 of run b: count")


def test_a_number_and_its_text_are_two_behaviours(tmp_path: Path) -> None:
    of = [count(0, 1, run=1), count(0, 2, run="1")]
    assert read(tmp_path, table(behaviour="run"), *of).result is Result.BROKEN


def test_a_step_that_the_specification_does_not_define_is_unknown(tmp_path: Path) -> None:
    lift = Specification("lift", "It goes up.", source="a test")
    floor = lift.variable("floor", Int(0, 1), "Where it is.")

    @lift.action(source="a test")
    def rises() -> Step:
        """It goes up."""
        return Step(when=[], then=[floor.becomes(floor + 1)])

    one = ObservationTable(lift)
    one.readers["up"] = lambda line: Seen(rises.name)
    verdict, number = read_to(tmp_path, one, {"event": "up"}, {"event": "up"})

    assert (verdict.result, number) == (Result.UNKNOWN, 2)
    assert "the step is undefined: rises(): floor would be 2" in verdict.sentence


def test_a_log_that_says_nothing_is_unknown(tmp_path: Path) -> None:
    verdict = read(tmp_path, table(ignored=["noise"]), {"event": "noise"})
    nothing = "no line of the log says anything of counters, so nothing was compared"
    assert (verdict.result, verdict.sentence) == (Result.UNKNOWN, nothing)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            {"event": "noise"},
            "no reader is for lines of kind 'noise'; add one to the validation table",
        ),
        ({"event": 3}, "the field 'event' must be text, not 3"),
        ({}, "the line has no field 'event'; it has none"),
        ({"event": "count", "of": 0}, "the line has no field 'now'; it has 'event', 'of'"),
        (count(7, 1), "counts: counter must be a counter from 0 to 1, not 7"),
        ({"event": "count", "of": True, "now": 1}, "the field 'of' must be a whole number, not True"),
        ({"event": "all", "now": [True, 1]}, "counts: value must be a value of Int(0, 100), not True"),
        ({"event": "all", "now": None}, "counts: value must be a value of array over counter of Int(0, 100), not None"),
        ("[]", "this line of the log is '[]'; write one JSON object per line"),
        ("{", "this line of the log is not JSON"),
        ('{"event": "some", "event": "some"}', "appears twice in this line"),
    ],
)
def test_a_line_that_cannot_be_read_is_reported_in_one_line(
    tmp_path: Path, line: dict[str, object] | str, problem: str
) -> None:
    with pytest.raises(LogError) as caught:
        read(tmp_path, table(), count(0, 1), line)
    assert str(caught.value).startswith(f"{tmp_path / 'log.jsonl'}:2: ")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def wrong(seen: object) -> ObservationTable:
    one = ObservationTable(specification)
    one.readers["count"] = lambda line: seen  # type: ignore[assignment, return-value]
    return one


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (Seen("count"), "there is no action 'count'; there are counts, is_set_back"),
        (Seen("counts"), "counts takes 1 argument (counter), not 0"),
        (Seen("counts", (0,), after={"values": 1}), "there is no variable 'values'; there are offset, value"),
        (Seen("counts", (0,), after={("value", "x"): 1}), "has no field or element 'x'"),
        ([], "the reader of lines of kind 'count' returned no Seen"),
        ((1,), "the reader of lines of kind 'count' must return a Seen, a sequence of Seen objects or None, not int"),
    ],
)
def test_a_table_that_does_not_fit_is_reported_in_one_line(tmp_path: Path, seen: object, problem: str) -> None:
    with pytest.raises(TableError, match=r"log.jsonl:1: ") as caught:
        read(tmp_path, wrong(seen), count(0, 1))
    assert problem in str(caught.value)


def test_a_reader_that_raises_is_reported_in_one_line(tmp_path: Path) -> None:
    one = ObservationTable(specification)
    one.readers["count"] = lambda line: Seen("counts", (1 // 0,))
    with pytest.raises(TableError, match="the reader of lines of kind 'count' raised ZeroDivisionError"):
        read(tmp_path, one, count(0, 1))


def test_a_silent_action_that_does_not_exist_is_reported() -> None:
    with pytest.raises(TableError, match="silent: there is no action 'sleeps'"):
        table(silent=["sleeps"]).start()


def test_a_world_that_does_not_exist_is_reported() -> None:
    with pytest.raises(TableError, match="size"):
        table(world={"size": 0}).start()


class Crossed(Enum):
    OPEN = "SHUT"
    SHUT = "open"


def test_a_name_that_is_the_value_of_another_is_refused() -> None:
    crossed = OneOf(Crossed)

    assert _plain(crossed, "open", "the gate") is Crossed.SHUT
    with pytest.raises(TableError, match="'SHUT' is the name of one of Crossed and the value of another; rename"):
        _plain(crossed, "SHUT", "the gate")
