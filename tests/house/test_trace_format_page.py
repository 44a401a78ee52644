"""The page on the trace format is true."""

from pathlib import Path

from gridproof_implementation.trace import read_trace
from gridproof_implementation.trace.schema import EVENT_FIELDS, FIELDS
from gridproof_model.events import EVENTS
from gridproof_model.trace import FORMAT_VERSION
from tests.house.source_tree import ROOT
from tools.trace_format_page import BEGIN, END, meanings_of, with_field_tables

PAGE = (ROOT / "docs" / "trace-format.md").read_text("utf-8")
CURE = "renew it: python -m tools.trace_format_page docs/trace-format.md"


def test_the_page_shows_the_fields_as_they_are_declared() -> None:
    assert BEGIN in PAGE
    assert END in PAGE
    assert with_field_tables(PAGE) == PAGE, CURE


def test_the_page_has_a_section_for_every_kind_of_record() -> None:
    assert [word for word in FIELDS if f"\n### {word}\n" not in PAGE] == []


def test_the_page_names_the_version_it_describes() -> None:
    assert PAGE.startswith(f"# The trace format, version {FORMAT_VERSION}\n")


def test_the_example_of_the_page_is_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "example.jsonl"
    path.write_text(PAGE.split("```json\n")[1].split("```")[0])

    assert len(list(read_trace(path))) == 7


def test_every_field_of_an_event_says_what_it_means() -> None:
    silent = [
        f"{kind.__name__}.{field.name}"
        for kind, declared in EVENT_FIELDS.items()
        for field in declared
        if not meanings_of(kind).get(field.name, "").endswith(".")
    ]

    assert silent == [], "write a sentence under the field, true of this event"


def test_the_page_has_a_section_for_every_event() -> None:
    assert [name for name in EVENTS if f"\n#### {name}\n" not in PAGE] == []
