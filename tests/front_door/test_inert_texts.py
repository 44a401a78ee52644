"""Keys, names and messages of others steer neither a terminal nor a page."""

from pathlib import Path

import pytest

from gridproof_implementation.trace.files import write_trace
from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.strategies.trace_builder import TraceBuilder
from gridproof_reports.pages.environment import coded
from tests.front_door.command_line import CommandLine

EVIL = "k\x1b[31mred\x1b]8;;http://x\x07\u202erl\u2066 <script>alert(1)</script>]]>&\"'\x00\x9b31m[red]"
"""Colours, a link, a bell, writing from right to left, a script, the end of a CDATA section, NUL, a C1 control."""
COMMANDS = (
    ("audit", "t.jsonl"),
    ("audit", "t.jsonl", "--json"),
    ("audit", "t.jsonl", "--junit", "a.xml", "--sarif", "a.sarif", "--out", "audited"),
    ("validate", "t.jsonl", "--specification", "ownership", "--out", "validated"),
)


def evil_trace() -> list[Record]:
    """A run that is broken in several ways, in which whatever is text is hostile."""
    run = TraceBuilder(1).join(0, group=f"a{EVIL}").join(1, group=f"b{EVIL}")
    run.view(EVIL, [(0, 0)]).write(EVIL, EVIL).view(f"{EVIL} again", [(0, 1)], observer=1)
    head = (run.records[0].run, 9, 9)
    read = OperationRecord(*head, OperationKind.READ, EVIL, 0, f"other{EVIL}", Outcome.OK, None, 0, 50, 51, EVIL, EVIL)
    return [*run.records, read]


def are_inert(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_a_trace_says_is_shown_and_steers_nothing(
    words: tuple[str, ...], gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with write_trace(tmp_path / "t.jsonl") as writer:
        for record in evil_trace():
            writer.write(record)
    monkeypatch.chdir(tmp_path)

    done = gridproof(*words)

    assert are_inert(done.out + done.err)
    written = [one for one in tmp_path.rglob("*") if one.suffix in (".html", ".svg", ".xml", ".sarif", ".json")]
    assert [one.name for one in written if not are_inert(one.read_text("utf-8"))] == []
    assert [one.name for one in written if one.suffix == ".html" and "<script>alert" in one.read_text("utf-8")] == []


def test_what_stands_between_backticks_is_code_and_still_inert() -> None:
    assert coded("where `a < b`") == "where <code>a &lt; b</code>"
    assert coded("`<b>` and one ` more") == "`&lt;b&gt;` and one ` more"
