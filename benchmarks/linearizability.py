"""Linearizability of Porcupine's public histories, against detangle.

`GRIDPROOF_PORCUPINE` names a copy of the repository `anishathalye/porcupine` (its Go module holds the histories;
nothing of it is part of gridproof). Both checkers judge the same histories in turns, in one process, on one core.
detangle is not given c50-bad: it gives up on it after minutes. What is missing is said and left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from gridproof_properties.judging.verdict import Result
from gridproof_properties.linearizability import SequentialModel, TimedOperation, check_linearizable
from gridproof_properties.linearizability.models import (
    AppendText,
    CompareAndSet,
    GetText,
    Read,
    Register,
    SetText,
    Text,
    Write,
)
from tests.properties.linearizability.porcupine_data import FOLDER_VARIABLE, read_etcd, read_key_value

Histories = Mapping[Hashable, Sequence[TimedOperation]]
TOO_HARD = "c50-bad"
TURNS = 3


def main() -> None:
    """Print seconds and ratios, by group of histories."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        print(f"linearizability: name a copy of the repository anishathalye/porcupine in {FOLDER_VARIABLE}")
        return
    data = Path(folder) / "test_data"
    theirs = judge_with_detangle if find_spec("detangle") is not None else None
    if theirs is None:
        print("linearizability: detangle is not installed (pip install 'gridproof[dev]'), so ours alone")
    etcd = [read_etcd(path) for path in sorted(data.glob("jepsen/etcd_*.log"))]
    compare(f"{len(etcd)} etcd histories", Register(), etcd, theirs)
    for path in sorted(data.glob("kv/*.txt")):
        compare(path.stem, Text(), [read_key_value(path)], None if path.stem == TOO_HARD else theirs)


def compare(
    name: str,
    model: SequentialModel,
    groups: Sequence[Histories],
    theirs: Callable[[SequentialModel, Histories], bool] | None,
) -> None:
    """Print one line: our seconds, theirs, the ratio; AssertionError when verdicts differ."""
    ours_s: list[float] = []
    theirs_s: list[float] = []
    found: list[Result] = []
    for _ in range(TURNS):
        begin = perf_counter()
        found = [check_linearizable(model, histories).result for histories in groups]
        ours_s.append(perf_counter() - begin)
        if theirs is not None:
            begin = perf_counter()
            verdicts = [theirs(model, histories) for histories in groups]
            theirs_s.append(perf_counter() - begin)
            assert verdicts == [result is Result.HOLDS for result in found], f"{name}: verdicts differ"
    good = sum(result is Result.HOLDS for result in found)
    line = f"linearizability of {name}: {good} hold, {len(found) - good} broken, {min(ours_s):.3f} s"
    print(line + (f"; detangle {min(theirs_s):.3f} s, ratio {min(theirs_s) / min(ours_s):.1f}" if theirs_s else ""))


def judge_with_detangle(model: SequentialModel, histories: Histories) -> bool:
    """Return detangle's verdict on all keys; the building of its histories counts little."""
    lin: Any = import_module("detangle.lin")
    wanted = _text_model(lin)() if isinstance(model, Text) else lin.Register()
    return all(lin.check(_detangled(lin, ops), wanted, budget=100_000_000).ok for ops in histories.values())


def _detangled(lin: Any, operations: Sequence[TimedOperation]) -> Any:
    history = lin.History()
    calls = [(recorded.start, 0, place) for place, recorded in enumerate(operations)]
    returns = [(recorded.end, 1, place) for place, recorded in enumerate(operations) if recorded.end is not None]
    open_ones: dict[int, Any] = {}
    for _, is_return, place in sorted(calls + returns):
        recorded = operations[place]
        if is_return:
            history.ok(open_ones.pop(place), recorded.result)
        else:
            open_ones[place] = history.invoke(place, *_named(recorded.operation))
    for lost in open_ones.values():
        history.info(lost)
    return history.operations


def _named(operation: Hashable) -> tuple[str, object]:
    match operation:
        case Read():
            return "read", None
        case Write(value=value):
            return "write", value
        case CompareAndSet(expected=expected, value=value):
            return "cas", (expected, value)
        case GetText():
            return "get", None
        case SetText(text=text):
            return "set", text
        case AppendText(text=text):
            return "append", text
        case _:
            raise TypeError(f"no such operation: {operation!r}")


def _text_model(lin: Any) -> Any:
    """Return a model of texts in detangle's own terms."""

    class DetangledText(lin.Model):  # type: ignore[misc]
        def init(self) -> str:
            return ""

        def step(self, state: str, op: Any) -> tuple[bool, str]:
            if op.f == "get":
                return op.status != "ok" or op.output == state, state
            return True, op.arg if op.f == "set" else state + op.arg

    return DetangledText


if __name__ == "__main__":
    main()
