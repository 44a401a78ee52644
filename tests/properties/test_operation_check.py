"""An agent's operations are tested before they accuse a system."""

import shutil
import sys
from pathlib import Path

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.live import agent
from gridproof_implementation.live.agent_grid import open_agents
from gridproof_implementation.live.process import Launch
from gridproof_properties.audits.agent_check import STEPS, try_operations

LIVE = Path(agent.__file__).parent
OPERATE = """
from toy import ROOT
lists: dict[str, list[Any]] = {}

def operate(kind: str, key: str = "", value: Any = None, expected: Any = None) -> Any:
    if kind == "size":
        return ok(value=toy.size())
    values, was = lists.setdefault(key, []), toy.get(key)
    if kind == "lock":
        is_free = all(one == value for one in values)
        values += [value] * is_free
        return ok(value=is_free)
    if kind == "locked":
        return ok(value=bool(values))
    if kind == "unlock":
        return ok(value=len(values[1:])) if values and values.pop() else refused("it is not held")
    if kind == "add":
        values.append(1)
        return ok(value=len(values))
    if kind in ("append", "offer"):
        values.append(value)
        return ok(value=True)
    if kind == "items":
        return ok(value=values)
    if kind == "poll":
        return ok(value=values.pop(0) if values else None)
    if kind == "contains":
        return ok(value=was is not None)
    if kind == "put-if-absent":
        toy.put(key, was or value)
        return ok(value=was)
    is_expected = was == expected
    if is_expected and kind == "compare-and-set":
        toy.put(key, value)
    elif is_expected:
        (ROOT / toy.name / f"={key}").unlink(missing_ok=True)
    return ok(value=is_expected)


OPERATIONS = ["size", "lock", "locked", "unlock", "add", "append", "items", "offer", "poll"]
OPERATIONS += ["contains", "put-if-absent", "compare-and-set", "compare-and-remove"]
PROMISES = """


def complaints(folder: Path, *changes: tuple[str, str], is_with_more: bool = True) -> list[str]:
    """What is complained of in the operations of the skeleton's toy, of one member, when they are changed."""
    shutil.copytree(LIVE / "skeletons" / "python", folder, dirs_exist_ok=True)
    shutil.copy(LIVE / "agent.py", folder / "gridproof_agent.py")
    text = (folder / "agent.py").read_text(encoding="utf-8")
    text = text.replace("PROMISES = ", OPERATE, 1) if is_with_more else text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "agent.py").write_text(text, encoding="utf-8")
    with open_agents(Launch((sys.executable, "agent.py"), folder=folder), Options(member_count=1), 5.0) as grid:
        return list(try_operations(grid, grid.process_of(grid.start_member()), 5.0))


def test_good_operations_are_nothing_to_complain_of(tmp_path: Path) -> None:
    assert complaints(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("value=len(values)", "value=len(values) - 1"), "add of 'check-counter' came back with 0; it means 1"),
        (("value=len(values)", "value=True"), "add of 'check-counter' came back with True; it means 1"),
        (("value=was)", "value=value)"), "put-if-absent of 'check-cell' came back with 'a'; it means None"),
        (("was or value", "value"), "read of 'check-cell' came back with 'b'; it means 'a'"),
        (("was == expected", "True"), "compare-and-set of 'check-cell' came back with True; it means False"),
        (("toy.put(key, value)\n    elif", "pass\n    elif"), "read of 'check-cell' came back with 'a'; it means 'c'"),
        (("was is not None", "True"), "contains of 'check-cell' came back with True; it means False"),
        (("values.append(value)", "values.insert(0, value)"), "items of 'check-list' came back with ('b', 'a')"),
        (("pop(0)", "pop()"), "poll of 'check-queue' came back with 'b'; it means 'a'"),
        (('"poll"]', '"poll", "fly"]'), "operations names 'fly', which no audit asks for"),
    ],
)
def test_a_fault_of_operations_is_reported(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    assert any(expected in complaint for complaint in complaints(tmp_path, change))


def test_what_the_skeleton_answers_is_nothing_to_complain_of(tmp_path: Path) -> None:
    assert complaints(tmp_path, is_with_more=False) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            ("toy.size())\n    values", "1)\n    values"),
            "size came back with 1, and with 1 once one more entry was written",
        ),
        (("value=is_free", "value=True"), "lock of 'check-lock' came back with True; it means False"),
        (("bool(values)", "False"), "locked of 'check-lock' came back with False; it means True"),
        (("len(values[1:])", "1"), "unlock of 'check-lock' came back with 1; it means 0"),
    ],
)
def test_a_fault_of_sizes_and_locks_is_reported(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    assert any(expected in complaint for complaint in complaints(tmp_path, change))


def test_an_agent_without_operations_is_asked_for_none(tmp_path: Path) -> None:
    assert complaints(tmp_path, ("operations=OPERATIONS", "operations=[]")) == []


def test_every_step_but_reads_and_writes_is_an_operation() -> None:
    assert {step.kind for step in STEPS} > {"add", "items", "poll", "contains"}
