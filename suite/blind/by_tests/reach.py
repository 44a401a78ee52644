"""Which test runs which function, and how long it takes.

A mutant in a function can only be noticed by a test that calls the function; the quick ones are asked first. What is no
function (a constant, a field) belongs to everybody: there every test is asked, those that enter its module first.
"""

import ast
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import pytest

from gridproof_model.whole_file import write_whole


@dataclass(frozen=True, slots=True)
class ReachedTest:
    """One test of a suite."""

    name: str
    """As pytest names it, parameters included."""
    seconds: float
    """Processor time, while it was watched; about twice what it takes otherwise."""
    functions: Mapping[str, frozenset[int]]
    """By file: the first lines of the functions that it called."""

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return self.name.split("::", 1)[0]


def reaching(line: int, path: Path, tests: Sequence[ReachedTest]) -> list[ReachedTest]:
    """Return the tests that can notice a change of a line, the quickest first."""
    quickest = sorted(tests, key=lambda test: test.seconds)
    function = _function_around(line, ast.parse(path.read_text(encoding="utf-8")))
    called = {test.name: test.functions.get(str(path), frozenset()) for test in quickest}
    if function is not None:
        found = [test for test in quickest if any(first in function for first in called[test.name])]
        if found:
            return found
    return sorted(quickest, key=lambda test: not called[test.name])


def _function_around(line: int, tree: ast.AST) -> range | None:
    """Return the lines of the outermost function around a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= (node.end_lineno or node.lineno):
                return range(first, (node.end_lineno or node.lineno) + 1)
    return None


class Watch:
    """A pytest plugin that writes down which functions below a folder each test calls."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = str(folder)
        self._file = file
        self._called: dict[int, CodeType] = {}
        """By identity: comparing code is slow, and this is asked at every call."""
        self._rows: list[tuple[str, float, dict[str, list[int]]]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch one test."""
        self._called = {}
        began = time.process_time()
        sys.settrace(self._enter)
        answer = yield
        sys.settrace(None)
        seconds = time.process_time() - began
        called: dict[str, list[int]] = {}
        for code in self._called.values():
            if code.co_filename.startswith(self._folder):
                called.setdefault(code.co_filename, []).append(code.co_firstlineno)
        self._rows.append((item.nodeid, seconds, called))
        return answer

    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        write_whole(self._file, json.dumps(self._rows).encode())

    def _enter(self, frame: FrameType, event: str, argument: object) -> None:
        self._called[id(frame.f_code)] = frame.f_code


def read_watch(file: Path) -> list[ReachedTest]:
    """Read what a watch has written."""
    return [
        ReachedTest(name, seconds, {file: frozenset(firsts) for file, firsts in called.items()})
        for name, seconds, called in json.loads(file.read_text(encoding="utf-8"))
    ]
