"""The state machine over anybody's grid."""

import ctypes
import os
import subprocess
import sys
import threading
import unittest
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import rule

from gridproof import AdapterError, Options, judged, settle, state_machine_of
from gridproof_implementation.adapter import Adapter, WriteAnswer
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.trace import open_trace
from gridproof_model.trace import MemberRecord, OperationKind, OperationRecord
from gridproof_properties.machines.any_grid import GridStateMachine, run_machine
from gridproof_properties.machines.judged import BrokenPromiseError
from gridproof_properties.machines.machine_run import (
    LIVE_EXAMPLES,
    AdapterStoppedError,
    BrokenProgramError,
    NeverMetWarning,
    NothingComparedError,
)
from tests.properties.bad_adapters import grid as bad_grid
from tests.properties.bad_adapters import hanging, raising, returning
from tests.properties.honest_grid import HonestGrid, adapter_of
from tests.properties.lies_about_calls import KeepsTheBeginningOfValues
from tests.properties.lies_about_copies import DropsAllCopies
from tests.properties.lying_grids import LIES
from tests.properties.planted_bugs import EXAMPLES, PLANTED, pocket_adapter

FOUND: Mapping[str, tuple[str, str]] = {
    "a delete forgets the backups": (
        "acknowledged-write-kept",
        """\
    member_0 = grid.start_member()
    settle(grid)
    member_1 = grid.start_member()
    settle(grid)
    grid.write("d", "value 0")
    grid.remove("d")
    grid.read("d")  # "value 0"
""",
    ),
    "a promotion begins with nothing": (
        "acknowledged-write-kept",
        """\
    member_0 = grid.start_member()
    settle(grid)
    member_1 = grid.start_member()
    settle(grid)
    grid.write("a", "value 0")
    grid.crash(member_0)
    settle(grid)
    grid.read("a")  # None
""",
    ),
    "a move misses what is written meanwhile": (
        "acknowledged-write-kept",
        """\
    member_0 = grid.start_member()
    settle(grid)
    member_1 = grid.start_member()
    grid.wait(1)
    grid.write("a", "value 0")
    settle(grid)
    grid.read("a")  # None
""",
    ),
    "a negative hash goes elsewhere": (
        "key-to-partition",
        """\
    member_0 = grid.start_member()
    settle(grid)
    grid.read("d")  # None
""",
    ),
    "a move leaves the old copy behind": (
        "acknowledged-write-kept",
        """\
    member_0 = grid.start_member()
    settle(grid)
    member_1 = grid.start_member()
    settle(grid)
    member_2 = grid.start_member()
    settle(grid)
    grid.write("d", "value 0")
    grid.read("d")  # None
""",
    ),
}
"""By planted bug: the property that it breaks, and the shortest program that shows it."""
HEAD = """\
from gridproof import Options, judged, settle

from pocket_adapter import ADAPTER

with judged(ADAPTER, Options(partition_count=5, backup_count=1)) as grid:
"""
SMALL = Options(partition_count=5)


def run(machine: type[GridStateMachine], examples: int = 300, **others: object) -> None:
    """Run a machine, the same every time."""
    how = settings(machine.TestCase.settings, max_examples=examples, derandomize=True, database=None, **others)  # type: ignore[arg-type]
    run_machine(machine, how)


def failure_of(adapter: Adapter, examples: int = 60) -> str:
    """What a machine reports of a grid that fails; it is not made simpler."""
    phases = {Phase.generate}
    with pytest.raises(AssertionError) as failed:
        run(state_machine_of(adapter, options=SMALL), examples, phases=phases)
    return str(failed.value)


LONG = "a move misses what is written meanwhile"
"""What it takes longest to find, and to make short."""


@pytest.mark.parametrize("planted", [pytest.param(one, marks=[pytest.mark.nightly] * (one == LONG)) for one in PLANTED])
def test_a_planted_bug_is_found_and_its_shortest_program_is_reported(planted: str) -> None:
    broken, program = FOUND[planted]
    with pocket_adapter(planted) as adapter, pytest.raises(BrokenProgramError) as failed:
        run(state_machine_of(adapter))

    expected = str(failed.value)
    assert expected.startswith(f"{broken} is broken: ")
    assert expected.endswith(f"\n\nthe shortest program that was found to do it:\n\n{HEAD}{program}")


@pytest.mark.parametrize("planted", PLANTED)
def test_the_program_runs_as_it_stands_and_says_the_same(planted: str) -> None:
    broken, program = FOUND[planted]
    with pocket_adapter(planted), pytest.raises(BrokenPromiseError, match=f"^{broken} is broken: "):
        exec(HEAD + program, {})


def test_the_page_shows_one_of_these_programs() -> None:
    page = (EXAMPLES.parent / "driving-your-own-grid.md").read_text("utf-8")

    assert HEAD + FOUND[LONG][1] in page


@pytest.mark.parametrize("planted", PLANTED)
def test_the_program_passes_once_the_bug_is_gone(planted: str) -> None:
    with pocket_adapter():
        exec(HEAD + FOUND[planted][1], {})


@pytest.mark.parametrize("examples", [40, pytest.param(300, marks=pytest.mark.nightly)])
def test_the_good_grid_passes_and_every_promise_is_compared(examples: int) -> None:
    with pocket_adapter() as adapter:
        machine = state_machine_of(
            adapter, options=[SMALL, replace(SMALL, backup_count=2), replace(SMALL, backup_count=0)]
        )
        run(machine, examples)

    assert machine.run.examples >= examples
    assert all(machine.run.compared[name] for name in adapter.promises)


@pytest.mark.parametrize("system", ["reference", "reference-optimal"])
def test_the_reference_passes(system: str) -> None:
    options = [Options(partition_count=11, backup_count=backups) for backups in (1, 2, 0)]
    machine = state_machine_of(get_adapter(system), options=options)

    with warnings.catch_warnings(action="ignore", category=NeverMetWarning):
        run(machine, 15)

    assert machine.run.compared["acknowledged-write-kept"]


@pytest.mark.nightly
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_every_lie_is_found(lie: type[HonestGrid]) -> None:
    with pytest.raises(BrokenProgramError):
        run(state_machine_of(adapter_of(lie)))


def test_the_honest_grid_passes() -> None:
    machine = state_machine_of(adapter_of())

    with pytest.warns(NeverMetWarning, match="promised, never met in .* examples: balance-of-copies"):
        run(machine, 30)


@pytest.mark.parametrize(
    ("adapter", "expected"),
    [
        (bad_grid(write=raising(ValueError("no"))), "memory: write() raised ValueError: no"),
        (bad_grid(read=returning(None)), "memory: read() returned None; it must be of type ReadAnswer"),
        (bad_grid(members=raising(SystemExit(3))), "memory: members() raised SystemExit: 3"),
    ],
)
def test_an_adapter_that_fails_is_reported_in_one_line_and_then_the_calls(adapter: Adapter, expected: str) -> None:
    line, _, program = failure_of(adapter).partition("\n\nthe calls that led there:\n\n")

    assert line.startswith(expected)
    assert "\n" not in line
    assert "= grid.start_member()" in program


def test_a_call_that_does_not_return_is_given_up() -> None:
    machine = state_machine_of(bad_grid(crash=hanging), options=SMALL, call_deadline_s=0.3)

    with pytest.raises(AdapterStoppedError) as failed:
        run(machine, 60)

    line, _, program = str(failed.value).partition("\n")
    assert line.startswith("memory: crash() did not return within 0.3 s")
    assert program.rstrip().split("\n")[-1].startswith("    grid.crash(member_")


def test_a_grid_that_cannot_be_opened_is_reported_in_one_line() -> None:
    def refuse(options: Options) -> object:
        raise AdapterError("nobody listens at the port: start the grid first")

    assert failure_of(adapter_of(refuse)) == "nobody listens at the port: start the grid first"


def test_a_grid_is_never_asked_for_what_it_does_not_offer() -> None:
    asked: list[object] = []

    class NeverEnds(HonestGrid):
        crash: object = None  # type: ignore[assignment]
        leave: object = None  # type: ignore[assignment]
        write_many: object = None  # type: ignore[assignment]

    class Kept(state_machine_of(adapter_of(NeverEnds, ["acknowledged-write-kept"]), options=SMALL)):  # type: ignore[misc]
        def teardown(self) -> None:
            asked.extend(self.watched.records)
            super().teardown()

    run(Kept, 30)

    assert {record.change for record in asked if isinstance(record, MemberRecord)} == {"joined"}
    kinds = {record.kind for record in asked if isinstance(record, OperationRecord)}
    assert kinds == {OperationKind.WRITE, OperationKind.READ, OperationKind.READ_REPLICA}
    assert not [record for record in asked if isinstance(record, OperationRecord) and record.call is not None]


def test_a_grid_that_keeps_only_the_beginning_of_a_value_is_found() -> None:
    assert 'grid.write("a", "value-0".ljust(2_000, "-"))' in failure_of(adapter_of(KeepsTheBeginningOfValues))


def test_an_adapter_that_promises_nothing_is_not_green() -> None:
    expected = failure_of(adapter_of(promised=()), 10)

    assert expected.startswith("memory: no promise was compared in ")
    assert expected.endswith("it promises nothing: name properties in its `promises`")


def test_a_machine_that_compared_nothing_is_not_green() -> None:
    with pytest.raises(
        NothingComparedError, match=r"no promise was compared in .*: it promises queue-order-kept; draw"
    ):
        run(state_machine_of(adapter_of(promised=["queue-order-kept"])), 5)


def test_a_promise_of_no_property_is_wrong_use() -> None:
    with pytest.raises(AdapterError, match="promises 'full-row', which is no property: did you mean full-rows"):
        state_machine_of(adapter_of(promised=["full-row"]))


def test_a_live_grid_gets_tens_of_examples_and_what_failed_is_kept(tmp_path: Path) -> None:
    adapter = adapter_of(DropsAllCopies, ["acknowledged-write-kept"], repeatable=False)
    machine = state_machine_of(adapter, options=SMALL, keep=tmp_path)
    assert machine.TestCase.settings.max_examples == LIVE_EXAMPLES

    with pytest.raises(BrokenProgramError) as failed:
        run(machine, LIVE_EXAMPLES)

    assert "\nrun again 3 times, it was broken in 3\n" in str(failed.value)
    (program,) = tmp_path.glob("memory-*.py")
    assert str(failed.value).endswith(f"kept, with all that was recorded: {program}")
    assert "# acknowledged-write-kept is broken: " in program.read_text("utf-8")
    ((head, some),) = [(head, list(records)) for head, records in open_trace(program.with_suffix(".jsonl")).runs()]
    assert head.system == "memory"
    assert any(isinstance(record, MemberRecord) for record in some)


def test_what_fails_once_only_is_reported_with_how_often(tmp_path: Path) -> None:
    failed = threading.Event()

    class FailsOnce(HonestGrid):
        def read(self, key: str, *, through: object = None) -> object:  # type: ignore[override]
            answer = super().read(key)
            if failed.is_set() or answer.value is None:
                return answer
            failed.set()
            return replace(answer, value="made up")

    machine = state_machine_of(adapter_of(FailsOnce, ["read-was-written"], repeatable=False), keep=tmp_path)
    with pytest.raises(BrokenProgramError) as found:
        run(machine, 60)

    expected = str(found.value)
    assert expected.startswith("read-was-written is broken: ")
    assert "\nrun again 3 times, it was broken in 0\n" in expected


def test_a_rule_of_ones_own_may_fail_and_the_calls_are_reported() -> None:
    class Impatient(state_machine_of(adapter_of(), options=SMALL)):  # type: ignore[misc]
        @rule()
        def be_unhappy(self) -> None:
            raise ValueError("no patience")

    with pytest.raises(ValueError, match="no patience") as failed:
        run(Impatient, 20)

    assert any("= grid.start_member()" in note for note in failed.value.__notes__)


def test_ten_lines_are_a_test_file(tmp_path: Path) -> None:
    page = (EXAMPLES.parent / "driving-your-own-grid.md").read_text("utf-8")
    (tmp_path / "test_pocket.py").write_text(page.split("```python\n")[1].split("```")[0])
    for name in ("pocket_grid.py", "pocket_adapter.py"):
        source = (EXAMPLES / name).read_text("utf-8")
        (tmp_path / name).write_text(source.replace(*PLANTED["a negative hash goes elsewhere"]))
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_pocket.py"]

    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stderr
    assert "\nkey-to-partition is broken: " in done.stdout
    assert "from pocket_adapter import ADAPTER\n" in done.stdout
    assert "Traceback" not in done.stdout
    assert "any_grid.py" not in done.stdout


def test_the_test_case_is_what_unittest_runs() -> None:
    with pocket_adapter() as adapter:
        case = state_machine_of(adapter, options=SMALL).TestCase
        case.settings = settings(case.settings, max_examples=5, database=None)
        result = unittest.TestResult()
        with warnings.catch_warnings(action="ignore", category=NeverMetWarning):
            case().run(result)

    assert result.testsRun == 1
    assert result.wasSuccessful()


@pytest.mark.parametrize("end", [os._exit, ctypes.CDLL(None)._exit], ids=["Python's", "C's"])
def test_a_grid_that_ends_the_process_fails_its_test(end: Callable[[int], object]) -> None:
    class Ends(HonestGrid):
        def write(self, key: str, value: str) -> WriteAnswer:
            end(0)
            return super().write(key, value)

    case = state_machine_of(adapter_of(Ends, ["acknowledged-write-kept"]), options=SMALL).TestCase
    result = unittest.TestResult()
    case().run(result)

    ((_, said),) = result.failures
    assert "the process ended with status 0 before it gave a verdict" in said


def test_what_a_rule_of_ones_own_raises_is_raised_with_its_way_there() -> None:
    class Own(state_machine_of(adapter_of(), options=SMALL)):  # type: ignore[misc]
        @rule()
        def look(self) -> None:
            raise LookupError("of my own")

    result = unittest.TestResult()
    Own.TestCase().run(result)

    ((_, said),) = result.errors
    assert "LookupError: of my own" in said
    assert "in look" in said


def test_a_judged_grid_that_keeps_its_promises_raises_nothing() -> None:
    with judged(adapter_of(), SMALL) as grid:
        grid.start_member()
        settle(grid)
        grid.write("a", "1")
        assert grid.read("a").value == "1"
