"""Tries a mutant in its tests, each time in a forked process.

The parent process has loaded other libraries, but no module of the implementation; each mutant gets a fork, in which
one module is loaded from its changed syntax tree. A mutant takes no more time than its tests, and no file on disk is
changed.

A watch records which functions each test calls, and how long the test takes. Only a test that calls a function can
notice a mutant in it; the quickest of these tests are run first. For code outside of functions (a constant, a field),
all tests are run, beginning with those that enter its module.

The suites say which modules are mutated, and which tests should notice the mutants. The tests of a suite are the quick
ones that use its modules; a mutant that these miss may still be killed by the other tests of gridproof.
"""

import ast
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType

import pytest
from hypothesis import Phase, settings

from gridproof_model.whole_file import write_whole
from suite.reach.loading import load_changed

ROOT = Path(__file__).parents[2]
IMPLEMENTATION = ROOT / "implementation"


@dataclass(frozen=True, slots=True)
class Suite:
    """A part of the code, together with its tests."""

    name: str
    folder: str
    """The folder of the code, given from `implementation/`."""
    tests: tuple[str, ...]
    """The files and folders of tests that use its modules."""

    def modules(self) -> dict[str, Path]:
        """Return the modules of the suite's code, by name."""
        files = sorted((IMPLEMENTATION / self.folder).rglob("*.py"))
        return {
            ".".join(file.relative_to(IMPLEMENTATION).with_suffix("").parts): file
            for file in files
            if file.name != "__init__.py"
        }


SUITES: tuple[Suite, ...] = (
    Suite(
        "placement",
        "gridproof_implementation/placement",
        (
            "tests/implementation/test_planner.py",
            "tests/implementation/test_separating_planner.py",
            "tests/implementation/test_dealing.py",
            "tests/implementation/test_rerouting.py",
            "tests/implementation/test_placement_least.py",
            "tests/implementation/test_placement_hazelcast.py",
            "tests/implementation/test_placement_optimal.py",
            "tests/implementation/test_planner_properties.py",
        ),
    ),
    Suite("protocol", "gridproof_implementation/protocol", ("tests/implementation/protocol",)),
)


@dataclass(frozen=True, slots=True)
class ReachedTest:
    """One test, with the functions that it calls."""

    name: str
    """The test's name in pytest, with its parameters."""
    seconds: float
    """The processor time of the test under the watch, which is about twice its usual time."""
    functions: Mapping[str, frozenset[int]]
    """For each file, the functions that the test called, given by their first lines."""

    @property
    def file(self) -> str:
        """The file that contains the test."""
        return self.name.split("::", 1)[0]


def reaching(line: int, path: Path, tests: Sequence[ReachedTest]) -> list[ReachedTest]:
    """Return the tests that can notice a change of a line, with the quickest test first."""
    quickest = sorted(tests, key=lambda test: test.seconds)
    function = _function_around(line, ast.parse(path.read_text(encoding="utf-8")))
    called = {test.name: test.functions.get(str(path), frozenset()) for test in quickest}
    if function is not None:
        found = [test for test in quickest if any(first in function for first in called[test.name])]
        if found:
            return found
    return sorted(quickest, key=lambda test: not called[test.name])


def _function_around(line: int, tree: ast.AST) -> range | None:
    """Return the lines of the outermost function that contains a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= (node.end_lineno or node.lineno):
                return range(first, (node.end_lineno or node.lineno) + 1)
    return None


class Watch:
    """A pytest plugin that records which of the functions in a folder each test calls."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = str(folder)
        self._file = file
        self._called: dict[int, CodeType] = {}
        """The functions called so far, by identity: comparing code is slow, and this is checked at every call."""
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
        """Write the recorded calls to the file."""
        write_whole(self._file, json.dumps(self._rows).encode())

    def _enter(self, frame: FrameType, event: str, argument: object) -> None:
        self._called[id(frame.f_code)] = frame.f_code


def read_watch(file: Path) -> list[ReachedTest]:
    """Return the tests that a watch has recorded in a file."""
    return [
        ReachedTest(name, seconds, {file: frozenset(firsts) for file, firsts in called.items()})
        for name, seconds, called in json.loads(file.read_text(encoding="utf-8"))
    ]


_PRELOADED = ("hypothesis", "hypothesis.stateful", "numpy", "networkx", "pyarrow", "yaml", "mmh3")
_PATIENCE_S = 5.0
_PATIENCE = 4.0
"""A test may take this many seconds of processor time, or this many times the time that it took under the watch."""
_FIRST = 40
"""The number of quick tests that are run before the modules of all other tests are loaded."""
_MEMORY_BYTES = 4 << 30


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "killed by the clock"
    """A test took several times its usual time; in most cases there is an endless loop."""
    SURVIVED = "survived"


def preload() -> None:
    """Load the libraries that every fork will need."""
    for name in _PRELOADED:
        import_module(name)


def try_mutant(module: str, tree: ast.Module, tests: Sequence[ReachedTest]) -> Fate:
    """Run the tests in order, with one module replaced; the first failure decides."""
    for some in (tests[:_FIRST], tests[_FIRST:]):
        if some and (fate := _try_in_a_fork(module, tree, some)) is not Fate.SURVIVED:
            return fate
    return Fate.SURVIVED


def _try_in_a_fork(module: str, tree: ast.Module, tests: Sequence[ReachedTest]) -> Fate:
    child = fork_quietly()
    if child == 0:
        _run_as(module, tree, tests)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        return Fate.TIMED_OUT
    return Fate.SURVIVED if status == 0 else Fate.KILLED


def fork_quietly() -> int:
    """Fork a child whose output is discarded; return 0 in the child, and the child's process id in the parent."""
    assert "gridproof_implementation" not in sys.modules, "a fork must load the implementation itself"
    child = os.fork()
    if child == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
    return child


def run_pytest(tests: Sequence[str], plugin: object) -> int:
    """Run tests until one fails; return the exit status of pytest."""
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not nightly", "--hypothesis-seed=1")
    return int(pytest.main([*options, "--assert=plain", *tests], plugins=[plugin]))


def _run_as(module: str, tree: ast.Module, tests: Sequence[ReachedTest]) -> None:
    """Run the tests in this process, and end the process."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    load_changed({module: tree})
    status = 1
    try:
        status = run_pytest(sorted({test.file for test in tests}), _Chosen(tests))
    finally:
        os._exit(status)


class _Chosen:
    """A pytest plugin that runs the given tests in order, each with a time limit, without shrinking failures."""

    def __init__(self, tests: Sequence[ReachedTest]) -> None:
        self._tests = {test.name: (place, test.seconds) for place, test in enumerate(tests)}

    def pytest_configure(self) -> None:
        phases = [phase for phase in Phase if phase not in (Phase.shrink, Phase.explain)]
        settings.register_profile("blind", settings.default, phases=phases, database=None)
        settings.load_profile("blind")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self._tests]
        items[:] = sorted(chosen, key=lambda item: self._tests[item.nodeid][0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        _, seconds = self._tests[item.nodeid]
        signal.setitimer(signal.ITIMER_PROF, _PATIENCE_S + _PATIENCE * seconds)
        answer = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        return answer
