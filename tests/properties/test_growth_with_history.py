"""Judges take no more than some steps per operation of a history, however long it is, and however wrong."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from gridproof_model.events import ProtocolEvent
from gridproof_model.events.invocation import AttemptSent, CallBegun
from gridproof_model.events.operation import Parked, WaitedInVain
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.acknowledged import EARLIER_MAX
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.simulated import additions
from gridproof_properties.strategies.trace_builder import RUN, TraceBuilder
from tests.house.source_tree import ROOT

Asked = tuple[OperationKind, str | None, dict[str, Any]]
"""A kind, a value, and the other fields of an operation that differ."""
FEW = 40
KIND = OperationKind


def rewritten(number: int) -> Asked:
    return (KIND.WRITE, f"v{number}", {}) if number % 2 == 0 else (KIND.READ, f"v{number - 1}", {})


def lost(number: int) -> Asked:
    return (KIND.WRITE, f"v{number}", {}) if number % 2 == 0 else (KIND.READ, None, {})


def stale(number: int) -> Asked:
    return (KIND.WRITE, f"v{number}", {}) if number % 2 == 0 else (KIND.READ, f"v{max(number - 5, 0)}", {})


def counted(number: int) -> Asked:
    return (KIND.ADD, f"{number // 2 + 1}", {}) if number % 2 == 0 else (KIND.READ, f"{number // 2 + 1}", {})


def in_a_set(number: int) -> Asked:
    return (
        (KIND.INSERT if number % 2 == 0 else KIND.DISCARD),
        "item",
        {"answer": "false" if number % 2 == 0 else "true"},
    )


def asked_for(number: int) -> Asked:
    return (KIND.WRITE, f"v{number}", {}) if number % 2 == 0 else (KIND.CONTAINS, "true", {})


def never_given_back(number: int) -> Asked:
    return KIND.LOCK, "true", {"client": number % 3}


def numbered_with_gaps(number: int) -> Asked:
    kind, value, _ = rewritten(number)
    return kind, value, {"operation": 2 * number + 1}


HISTORIES = [rewritten, lost, stale, counted, in_a_set, asked_for, never_given_back, numbered_with_gaps]


def history(of: Callable[[int], Asked], length: int, *, crash: bool) -> Sequence[Record]:
    built = TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3)
    if crash:
        built.crash(1)
    built.records += [_operation(number, built.now_ms + 2 * number, *of(number)) for number in range(length)]
    return built.records


def _operation(number: int, at_ms: int, kind: OperationKind, value: str | None, other: dict[str, Any]) -> Record:
    head = (RUN, number, 0, kind, "key", 0, value, Outcome.OK, None, None, at_ms, at_ms + 1, "load")
    return replace(OperationRecord(*head), **other)


def lines_run(prop: Property, records: Sequence[Record]) -> int:
    """Return how many lines of Python a judge runs; a loop in one line counts each time."""
    seen = 0

    def note(frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        nonlocal seen
        seen += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        judge_run(records, [prop], {})
    finally:
        sys.settrace(before)
    return seen


def print_growth(of: str, crash: str) -> None:
    """Print as JSON how many times more lines each judge runs over a history that is four times as long."""
    additions.PAIRS_MAX = 10 * FEW  # from there on, work grows no more
    short, long = (history(globals()[of], length, crash=bool(crash)) for length in (FEW, 4 * FEW))
    kinds = [(prop, getattr(prop.start, "READS", None)) for prop in CATALOGUE]
    readers = [prop for prop, kinds_read in kinds if kinds_read is None or OperationRecord in kinds_read]
    _print(readers, short, long)


def print_growth_of_a_call() -> None:
    """Print the same as JSON, for a call that is sent again and again, since every attempt waits in vain."""
    short, long = (sent_again(length) for length in (FEW, 4 * FEW))
    _print([prop for prop in CATALOGUE if AttemptSent in getattr(prop.start, "WATCHED", ())], short, long)


def sent_again(length: int) -> Sequence[Record]:
    steps: list[tuple[int, ProtocolEvent]] = [(0, CallBegun(7, 0, "Poll", is_read_only=False, is_strict=False))]
    for number in range(length):
        steps.append((0, AttemptSent(7, 1, number, target=1, list_version=1)))
        steps.append((1, Parked(partition=0, operation="Poll", caller=0, call_id=number)))
        steps.append((1, WaitedInVain(partition=0, operation="Poll", caller=0, call_id=number)))
    return [*TraceBuilder().records, *(EventRecord(RUN, at, member, one) for at, (member, one) in enumerate(steps))]


def _print(readers: Sequence[Property], short: Sequence[Record], long: Sequence[Record]) -> None:
    print(json.dumps({prop.name: lines_run(prop, long) / lines_run(prop, short) for prop in readers}))


@pytest.mark.parametrize("crash", ["", pytest.param("crash", marks=pytest.mark.nightly)], ids=["at rest", "crashed"])
@pytest.mark.parametrize("of", HISTORIES, ids=lambda of: of.__name__)
def test_four_times_the_history_takes_no_more_than_some_four_times_the_work(
    of: Callable[[int], Asked], crash: str
) -> None:
    grown = printed_by(f"print_growth({of.__name__!r}, {crash!r})")

    assert {name: times for name, times in grown.items() if times > 6} == {}


def test_four_times_as_many_attempts_take_no_more_than_some_four_times_the_work() -> None:
    grown = printed_by("print_growth_of_a_call()")

    assert "parked-caller-is-notified" in grown
    assert {name: times for name, times in grown.items() if times > 6} == {}


def printed_by(call: str) -> dict[str, float]:
    # In a process of its own: in a worker that had run all other tests, a judge whose lines were traced never returned.
    line = [sys.executable, "-c", f"import {__name__} as here; here.{call}"]
    grown: dict[str, float] = json.loads(subprocess.run(line, cwd=ROOT, capture_output=True, check=True).stdout)
    return grown


def test_a_read_is_compared_with_few_of_the_writes_that_faults_may_have_lost() -> None:
    built = TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3)
    for number in range(2 * EARLIER_MAX):
        built.write("key", f"v{number}").join(2 + number).crash(2 + number)

    verdict = built.read("key", f"v{2 * EARLIER_MAX - 1}").judged("reads-see-acknowledged-writes")

    assert sum(one.compared for one in verdict.out_of_scope) == EARLIER_MAX
