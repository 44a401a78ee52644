"""One mutant against its tests, in a fork.

The parent has everybody else's libraries loaded and nothing of the implementation; each mutant gets a fork, in which
one module is loaded from its changed tree. A mutant costs what its tests cost, and the tree on disk is never touched.
"""

import ast
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from importlib import import_module

import pytest
from hypothesis import Phase, settings

from suite.blind.by_tests.reach import ReachedTest
from suite.reach.loading import load_changed

_PRELOADED = ("hypothesis", "hypothesis.stateful", "numpy", "networkx", "pyarrow", "yaml", "mmh3")
_PATIENCE_S = 5.0
_PATIENCE = 4.0
"""A test may take so many seconds of the processor, and so many times what it took while it was watched."""
_FIRST = 40
"""So many quick tests are asked before the modules of all the others are loaded."""
_MEMORY_BYTES = 4 << 30


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "killed by the clock"
    """A test took several times as long as it does; an endless loop, as a rule."""
    SURVIVED = "survived"


def preload() -> None:
    """Load the libraries that every fork will want."""
    for name in _PRELOADED:
        import_module(name)


def try_mutant(module: str, tree: ast.Module, tests: Sequence[ReachedTest]) -> Fate:
    """Run the tests, in their order, with one module replaced; the first failure decides."""
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
    """Fork a child whose output nobody reads; return 0 in it, else its process."""
    assert "gridproof_implementation" not in sys.modules, "a fork must load the implementation itself"
    child = os.fork()
    if child == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
    return child


def run_pytest(tests: Sequence[str], plugin: object) -> int:
    """Run tests up to the first failure; return pytest's exit status."""
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not nightly", "--hypothesis-seed=1")
    return int(pytest.main([*options, "--assert=plain", *tests], plugins=[plugin]))


def _run_as(module: str, tree: ast.Module, tests: Sequence[ReachedTest]) -> None:
    """Never returns."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    load_changed({module: tree})
    status = 1
    try:
        status = run_pytest(sorted({test.file for test in tests}), _Chosen(tests))
    finally:
        os._exit(status)


class _Chosen:
    """A pytest plugin: these tests, in this order, each with a limit on its time, and failures are not made small."""

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
