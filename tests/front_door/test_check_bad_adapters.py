"""`gridproof check` of adapters that break their port."""

from pathlib import Path

import pytest

from gridproof_model.events import NAMES
from gridproof_model.events.harness import AuditStopped
from tests.front_door.command_line import CommandLine

BAD = "tests.front_door.bad_grids"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("OPEN_EXITS", "open() raised SystemExit: 1"),
        ("NEVER_PLACES", "bad: place() raised OSError: no ring (bad_adapters.py:"),
        ("MISSPELT", " promises 'full-row', which is no property: did you mean full-rows?"),
    ],
)
def test_what_fails_before_the_start_is_wrong_use(gridproof: CommandLine, name: str, expected: str) -> None:
    wrong = gridproof("check", "--system", f"{BAD}:{name}", "--json")

    assert wrong.status == 2
    assert expected in wrong.err
    assert wrong.err.count("\n") == 1
    assert wrong.out == ""


def test_a_module_that_exits_when_imported_is_wrong_use(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "exits_at_once.py").write_text("print('noise')\nraise SystemExit('no licence')\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        wrong = gridproof("check", "--system", "exits_at_once:ADAPTER")

    assert wrong.status == 2
    assert "importing it raised SystemExit: no licence" in wrong.err
    assert wrong.out == ""


def test_what_fails_after_the_start_is_unknown_and_keeps_its_trace(gridproof: CommandLine) -> None:
    failed = gridproof("check", "--system", f"{BAD}:WRITE_FAILS", "--json")

    sentences = {v["sentence"] for v in failed.json["verdicts"] if v["promise"] == "promised"}
    assert failed.status == 3
    assert any("write() raised KeyError: 'no such bucket'" in sentence for sentence in sentences)
    assert NAMES[AuditStopped] in Path(failed.json["trace"]).read_text()


def test_who_stops_before_anything_was_compared_is_named_above_the_empty_table(gridproof: CommandLine) -> None:
    failed = gridproof("check", "--system", f"{BAD}:NEVER_TWO")

    first = failed.out.partition("\n")[0]
    assert failed.status == 3
    assert "start_member() raised OSError: port in use (bad_adapters.py:" in first
    assert first.endswith("; nothing was compared that is promised")


def test_what_an_adapter_prints_is_no_part_of_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    checked = CommandLine(capfd)("check", "--system", f"{BAD}:NOISY", "--json")

    assert checked.json["system"] == "memory"
    assert {"noise: print", "noise: a file descriptor", "noise: a process"} <= set(checked.err.splitlines())


def test_a_system_that_ends_its_process_keeps_the_verdicts_of_the_others(gridproof: CommandLine) -> None:
    checked = gridproof("check", "--system", f"{BAD}:ENDS", "--system", f"{BAD}:FEW_PROMISES", "--json")

    ended, judged = checked.json["runs"]
    assert checked.status == 3
    assert "its process ended without a result" in ended["failure"]
    assert {v["verdict"] for v in judged["verdicts"] if v["promise"] == "promised"} == {"holds"}
