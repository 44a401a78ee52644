"""The machines that the documentation shows work."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

PAGE = Path(__file__).parents[2] / "docs" / "your-own-machine.md"
SHOWN: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
MACHINES = [code for code in SHOWN if "\nclass " in code]
QUICK = settings(
    max_examples=10,
    stateful_step_count=30,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
LINES = 20


def machine_of(code: str) -> type[RuleBasedStateMachine]:
    """Run what a page shows, and return the machine it makes."""
    names: dict[str, Any] = {"__name__": "shown"}
    exec(code, names)
    made = [thing for thing in names.values() if isinstance(thing, type) and thing.__module__ == "shown"]
    return next(thing for thing in made if issubclass(thing, RuleBasedStateMachine))


@pytest.mark.parametrize("code", MACHINES, ids=lambda code: re.findall(r"class (\w+)", code)[0])
def test_a_machine_on_the_page_runs(code: str) -> None:
    run_state_machine_as_test(machine_of(code), settings=QUICK)


@pytest.mark.parametrize("code", MACHINES, ids=lambda code: re.findall(r"class (\w+)", code)[0])
def test_a_machine_on_the_page_has_twenty_lines(code: str) -> None:
    body = code.split("\nclass ")[1].split("\n\n\n")[0]
    assert len([line for line in body.splitlines() if line.strip()]) <= LINES


def test_the_schedule_on_the_page_is_repeated() -> None:
    (shown,) = [code for code in SHOWN if code not in MACHINES]

    exec(shown, {})
