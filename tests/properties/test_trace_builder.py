"""The builder of small traces, as its page shows it."""

from pathlib import Path

import pytest

from gridproof_implementation.trace import read_trace, write_trace
from gridproof_model.trace import Outcome
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.house.source_tree import ROOT

PAGE = (ROOT / "docs" / "small-traces.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(PAGE.split("```python\n")[1].split("```")[0], {})

    assert "k" in capsys.readouterr().out


def test_every_method_is_on_the_page() -> None:
    methods = [
        name for name in vars(TraceBuilder) if not name.startswith("_") and callable(getattr(TraceBuilder, name))
    ]

    assert [name for name in methods if f"`{name}(" not in PAGE] == []


@pytest.mark.parametrize("method", ["write", "remove", "read"])
def test_how_an_operation_ended_is_as_it_is_named(method: str) -> None:
    what = ("k",) if method == "remove" else ("k", "v0")

    run = getattr(TraceBuilder(), method)(*what, outcome=Outcome.UNKNOWN)

    assert run.records[-1].outcome is Outcome.UNKNOWN


def test_what_is_built_is_a_trace(tmp_path: Path) -> None:
    run = TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3).write("k", "v0").read("k", "v0")

    with write_trace(tmp_path / "small.jsonl") as writer:
        for record in run.records:
            writer.write(record)

    assert list(read_trace(tmp_path / "small.jsonl")) == run.records


def test_members_are_numbered_as_they_join() -> None:
    with pytest.raises(ValueError, match="member 1 cannot join: the next member to join is 0"):
        TraceBuilder().join(1)
