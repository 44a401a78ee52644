"""`gridproof validate`: logs and traces held against specifications."""

from pathlib import Path

import pytest

from gridproof_implementation.trace import write_trace
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.front_door.command_line import CommandLine
from tests.front_door.ring_log import PAGE, log_of, with_a_gap, write_ring


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's three files, in an otherwise empty folder where the commands run."""
    return write_ring(tmp_path, monkeypatch)


def test_the_log_of_the_page_is_explained(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "ring.jsonl", "1")

    printed = gridproof("validate", "ring.jsonl", "--table", "table.py:TABLE")

    assert printed.status == 0
    assert printed.out.strip() in PAGE


def test_the_log_with_the_bug_is_refused_in_the_words_of_the_page(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "forgetful.jsonl", "1", "forgetful")

    printed = gridproof("validate", "forgetful.jsonl", "--table", "table.py")
    found = gridproof("validate", "forgetful.jsonl", "--table", "table.py", "--json").json["validated"][0]

    assert printed.status == 1
    assert printed.out.strip() in PAGE
    assert (found["result"], found["line"], found["explained"]) == ("refused", 7, 6)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nothing.jsonl", "--table", "table.py"), "nothing.jsonl: cannot be read (No such file or directory)"),
        ((".", "--table", "table.py"), "cannot be read (Is a directory)"),
        (("ring.jsonl", "--table", "tables.py"), "there is no file tables.py"),
        (("ring.jsonl", "--table", "ewd840.py"), "ewd840.py names no observation table"),
        (("ring.jsonl", "--table", "table.py:NOTHING"), "table.py:NOTHING names no observation table"),
        (("ring.jsonl", "--table", "table"), "'table' names no observation table: write my_module.py:NAME"),
        (("ring.jsonl", "--specification", "replicatio"), "did you mean replication or invocation?"),
        (("ring.jsonl", "--specification", "ewd840.py"), "name its observation table with --table"),
        (("ring.jsonl", "--specification", "replication"), '"record" must be the first key'),
    ],
)
def test_wrong_use_is_reported_in_one_line(
    gridproof: CommandLine, folder: Path, words: tuple[str, ...], problem: str
) -> None:
    log_of(folder, "ring.jsonl", "1")

    printed = gridproof("validate", *words)

    assert (printed.status, printed.err.count("\n")) == (2, 1)
    assert problem in printed.err


@pytest.mark.parametrize("specification", ["replication", "ownership", "invocation"])
def test_a_recorded_run_is_validated(gridproof: CommandLine, folder: Path, specification: str) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")

    printed = gridproof("validate", "run/trace.jsonl", "--specification", specification, "--json")

    assert printed.status in (0, 3)
    assert printed.json["validated"][0]["name"] == "simulation-2"
    assert specification != "replication" or printed.status == 0


def test_a_trace_without_the_steps_of_members_says_how_to_record_them(gridproof: CommandLine, folder: Path) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--out", "run")

    printed = gridproof("validate", "run/trace.jsonl", "--specification", "replication")

    assert printed.status == 3
    assert "`gridproof simulate --steps --out DIR` records the steps of members" in printed.out


def test_a_trace_whose_tables_never_change_is_unknown(gridproof: CommandLine, folder: Path) -> None:
    with write_trace(folder / "still.jsonl") as out:
        for record in TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3).view("later", [(0, 1)] * 3).records:
            out.write(record)

    printed = gridproof("validate", "still.jsonl", "--specification", "ownership")

    assert printed.status == 3
    assert "no member showed a row that had changed" in printed.out
    assert "simulate" not in printed.out


def test_a_trace_with_a_changed_event_is_refused(gridproof: CommandLine, folder: Path) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")

    printed = gridproof("validate", with_a_gap(folder / "run" / "trace.jsonl"), "--specification", "replication")

    assert printed.status == 1
    assert "the specification refuses the action gapped_update_is_applied" in printed.out


def test_a_log_that_leaves_out_a_kind_of_step_is_unknown_unless_the_program_that_watched_the_run_found_it_broken(
    gridproof: CommandLine, folder: Path
) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")
    lines = (folder / "run" / "trace.jsonl").read_text().splitlines(keepends=True)
    log = "".join(line for line in lines if '"executed"' not in line)
    (folder / "log.jsonl").write_text(log)
    held = '"property":"refines-invocation","verdict":"holds"'
    assert held in log
    (folder / "accused.jsonl").write_text(log.replace(held, held.replace("holds", "broken")))

    unknown, refused = (
        gridproof("validate", name, "--specification", "invocation") for name in ("log.jsonl", "accused.jsonl")
    )

    assert (unknown.status, refused.status) == (3, 1)
    assert "unknown: the log has no event executed, though it has event attempt-sent" in unknown.out
