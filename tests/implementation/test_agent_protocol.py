"""The contract between fleet and agents.

Page, schema and checks say the same.
"""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridproof_implementation.adapter import AdapterFailure, CannotSayError
from gridproof_implementation.live import answers
from tests.house.source_tree import ROOT
from tests.implementation.json_schema import fits
from tools.adapter_protocol_pages import schema, with_table

SCHEMA: dict[str, Any] = json.loads(
    (files("gridproof_implementation.live") / "adapter_protocol.schema.json").read_text(encoding="utf-8")
)
PAGE = (ROOT / "docs" / "adapter-protocol.md").read_text(encoding="utf-8")
CHECKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    verb.name: verb.read for verb in (answers.HELLO, *answers.VERBS)
}
GOOD: Mapping[str, dict[str, Any]] = {
    "hello": {
        "id": 0, "protocol": 1, "system": "toy", "version": "1", "offers": ["start"], "partitions": None,
        "promises": {"full-rows": {"word": "promised", "source": "its page", "least_backups": 1}},
        "founders": 3, "bound": True, "fixed": False,
        "attached": {"addresses": ["a:1", "b:2"], "operator": {"crash": ["stop"], "start": []}},
    },
    "start": {"id": 1, "member": "a", "address": "127.0.0.1:5701", "group": None},
    "table": {"id": 2, "member": "a", "rows": [["a", None], []], "versions": [3, None]},
    "settled": {"id": 3, "member": "a", "members": ["a"], "why": None, "stamp": 7},
    "put": {"id": 4, "outcome": "ok", "confirmed": 2, "why": "", "executed_by": "a"},
    "put_many": {"id": 5, "outcome": "unknown", "why": "timeout"},
    "remove": {"id": 6, "outcome": "refused", "confirmed": None},
    "operate": {"id": 6, "outcome": "ok", "value": ["v1", "v2"], "confirmed": None},
    "get": {"id": 7, "outcome": "ok", "value": None, "confirm": "b", "why": ""},
    "partition": {"id": 8, "partition": 3, "owner": "a"},
    "replicas": {
        "id": 9, "unknown": [4],
        "copies": [{"partition": 3, "role": "backup", "version": 1, "versions": [1, 0], "entries": {"k": "v"}}],
    },
    "versions": {"id": 9, "copies": [{"partition": 3, "index": 1, "row": 4, "versions": [7, -1]}]},
    "leave": {"id": 10, "done": True},
    "hold": {"id": 11, "rule": 1},
    "drop": {"id": 12, "rule": 2},
    "release": {"id": 13, "messages": 3},
    "met": {"id": 14, "messages": 0},
    "found": {"id": 15, "done": True},
    "repair": {"id": 16, "done": True},
    "partitions_of": {"id": 17, "partitions": [3, -1, "no such type"]},
    "place": {"id": 18, "placed": [["node-1", "node-2"], []]},
}  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers(-2, 300) | st.sampled_from([1.0, 2**63, "", "a", "ok", "a:1", "promised"])
)
VALUES = st.recursive(
    LEAVES, lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=2), part, max_size=2)
)


def paths(part: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [*([at] if at else []), *(path for name, one in inner for path in paths(one, (*at, name)))]


@st.composite
def nearly_good(draw: st.DrawFn, verb: str) -> dict[str, Any]:
    """An answer with one place changed or taken out."""
    message: dict[str, Any] = json.loads(json.dumps(GOOD[verb]))
    *above, last = draw(st.sampled_from([path for path in paths(message) if path != ("id",)]))
    part: Any = message
    for name in above:
        part = part[name]
    if draw(st.booleans()):
        part[last] = draw(VALUES)
    else:
        del part[last]
    return message


def is_taken(verb: str, message: Mapping[str, Any]) -> bool:
    """Whether the fleet takes an answer."""
    try:
        CHECKS[verb](message)
    except CannotSayError:
        return True
    except AdapterFailure:
        return False
    return True


def is_lopsided(message: Mapping[str, Any]) -> bool:
    """Whether two lists differ in length that must not: no schema can say so."""
    rows, versions = message.get("rows"), message.get("versions")
    return isinstance(rows, list) and isinstance(versions, list) and len(rows) != len(versions)


def is_schematic(verb: str, message: Mapping[str, Any]) -> bool:
    return fits(message, SCHEMA["$defs"]["answers"][verb], SCHEMA)


def test_every_verb_has_a_good_answer() -> None:
    assert GOOD.keys() == CHECKS.keys()


def test_schema_and_page_are_printed_from_the_table() -> None:
    assert schema() == SCHEMA
    assert with_table(PAGE) == PAGE


@pytest.mark.parametrize("verb", GOOD)
def test_a_good_answer_is_taken_and_fits_the_schema(verb: str) -> None:
    assert (is_taken(verb, GOOD[verb]), is_schematic(verb, GOOD[verb])) == (True, True)


@pytest.mark.hypothesis
@pytest.mark.parametrize("verb", GOOD)
def test_checks_and_schema_agree_on_answers_that_are_nearly_good(verb: str) -> None:
    @given(nearly_good(verb))
    def agree(message: dict[str, Any]) -> None:
        assume(not is_lopsided(message))
        assert is_taken(verb, message) == is_schematic(verb, message)

    agree()


def test_a_member_may_say_that_it_can_show_no_table() -> None:
    answer = {"id": 2, "member": "a", "rows": None, "why": "no election answers"}

    assert is_schematic("table", answer)
    with pytest.raises(CannotSayError, match=r"^a cannot show its table at present \(no election answers\); ask"):
        CHECKS["table"](answer)


@pytest.mark.parametrize(
    ("verb", "wrong", "expected"),
    [
        ("hello", {"protocol": 2}, "the agent speaks version 2 of the agent protocol, not gridproof's 1"),
        ("table", {"rows": [["a"], "b"]}, "rows[1] must be a list, not 'b'"),
        ("table", {"versions": [1]}, "versions must have as many entries as rows, 2, not 1"),
        ("put", {"outcome": "maybe"}, "outcome must be ok or refused or unknown, not 'maybe'"),
        ("start", {"address": "127.0.0.1"}, "address must be HOST:PORT, not '127.0.0.1'"),
        ("replicas", {"copies": [{"partition": 1}]}, 'copies[0]: "role" is missing'),
        ("leave", {"done": False}, '"done" must be true; answer "error" where it was not done'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(verb: str, wrong: dict[str, Any], expected: str) -> None:
    with pytest.raises(AdapterFailure) as raised:
        CHECKS[verb]({**GOOD[verb], **wrong})
    assert str(raised.value) == expected


def test_a_partition_given_twice_is_refused() -> None:
    copy = {"partition": 1, "role": "backup", "entries": {}}

    with pytest.raises(AdapterFailure, match="copies must name each partition once only"):
        answers.REPLICAS.read({"id": 1, "copies": [copy, copy]})


@pytest.mark.parametrize("verb", [*SCHEMA["$defs"]["questions"], *SCHEMA["$defs"]["answers"]])
def test_the_page_reports_every_verb(verb: str) -> None:
    assert f"`{verb}`" in PAGE


def test_the_examples_of_the_page_fit_the_schema() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith(("→ {", "← {"))]
    asked: dict[int, str] = {0: "hello"}
    for line in lines:
        message = json.loads(line[2:])
        if line.startswith("→"):
            asked[message["id"]] = message["do"]
            if message["do"] in SCHEMA["$defs"]["questions"]:
                assert fits(message, SCHEMA["$defs"]["questions"][message["do"]], SCHEMA), line
        elif "not_offered" in message or "error" in message:
            form = "not_offered" if "not_offered" in message else "failed"
            assert fits(message, SCHEMA["$defs"][form], SCHEMA), line
        else:
            assert is_schematic(asked[message["id"]], message), line
            assert is_taken(asked[message["id"]], message), line
    assert len(lines) > 2 * len(CHECKS) - 4
