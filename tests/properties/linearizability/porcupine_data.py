"""Reads the public histories of Porcupine's tests.

`GRIDPROOF_PORCUPINE` names a copy of the repository `anishathalye/porcupine`. Formats: Jepsen's log of an etcd
register, and the log of a key-value store of texts. A failed compare-and-set returned; an update that timed out never
did.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

from gridproof_properties.linearizability import TimedOperation
from gridproof_properties.linearizability.models import (
    AppendText,
    CompareAndSet,
    GetText,
    Read,
    SetText,
    Write,
)

FOLDER_VARIABLE = "GRIDPROOF_PORCUPINE"
_ETCD = re.compile(r"INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*?)\s*$")
_KV = re.compile(r'\{:process (\d+), :type :(\w+), :f :(\w+), :key "(.*)", :value (.*)\}')
Begun = tuple[int, Hashable]


def read_etcd(path: Path) -> Mapping[Hashable, Sequence[TimedOperation]]:
    """Return the one register's operations."""
    ended: list[TimedOperation] = []
    running: dict[str, Begun] = {}
    for at, line in enumerate(path.read_text().splitlines()):
        found = _ETCD.match(line)
        if found is None:
            continue
        process, kind, name, value = found.groups()
        if kind == "invoke":
            running[process] = (at, _etcd_operation(name, value))
        elif kind in ("ok", "fail") and value != ":timed-out":
            start, operation = running.pop(process)
            result = _number(value) if name == "read" else kind == "ok"
            ended.append(TimedOperation(operation, result, start, at))
        elif name == "read":
            running.pop(process, None)
    lost = [TimedOperation(operation, None, start, None) for start, operation in running.values()]
    return {"register": ended + lost}


def _etcd_operation(name: str, value: str) -> Hashable:
    if name == "read":
        return Read()
    if name == "write":
        return Write(int(value))
    expected, wanted = value.strip("[]").split()
    return CompareAndSet(int(expected), int(wanted))


def _number(text: str) -> int | None:
    return None if text == "nil" else int(text)


def read_key_value(path: Path) -> Mapping[Hashable, Sequence[TimedOperation]]:
    """Return each key's operations."""
    histories: dict[Hashable, list[TimedOperation]] = defaultdict(list)
    running: dict[str, Begun] = {}
    for at, line in enumerate(path.read_text().splitlines()):
        found = _KV.match(line)
        assert found is not None, f"{path}:{at + 1} is not of the format"
        process, kind, name, key, value = found.groups()
        text = "" if value == "nil" else value.strip('"')
        if kind == "invoke":
            running[process] = (at, {"get": GetText(), "put": SetText(text), "append": AppendText(text)}[name])
        else:
            start, operation = running.pop(process)
            histories[key].append(TimedOperation(operation, text if name == "get" else None, start, at))
    return histories
