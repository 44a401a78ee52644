"""One mutant against a suite, in a fork.

The parent has everybody else's libraries loaded and nothing of gridproof; each mutant gets a fork, in which one module
is loaded from its changed text. So a mutant costs what its tests cost, and the tree on disk is never touched.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Sequence
from enum import StrEnum
from importlib import import_module
from types import ModuleType

import pytest

_PRELOADED = ("hypothesis", "hypothesis.stateful", "numpy", "networkx", "pyarrow", "yaml", "mmh3")
_POLL_S = 0.02


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "killed by the clock"
    """It ran several times as long as the suite does; an endless loop, as a rule."""
    SURVIVED = "survived"


def preload() -> None:
    """Load the libraries that every fork will want."""
    for name in _PRELOADED:
        import_module(name)


def try_mutant(module: str, source: str, tests: Sequence[str], timeout_s: float) -> Fate:
    """Run the tests with one module replaced; the first failure decides."""
    assert not any(name.startswith("gridproof_") for name in sys.modules), "a fork must load gridproof itself"
    child = os.fork()
    if child == 0:
        _run_as(module, source, tests)
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return Fate.SURVIVED if status == 0 else Fate.KILLED
        time.sleep(_POLL_S)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return Fate.TIMED_OUT


def _run_as(module: str, source: str, tests: Sequence[str]) -> None:
    """Never returns."""
    os.setpgid(0, 0)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.meta_path.insert(0, _Changed(module, source))
    options = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-m",
        "not night",
        "--hypothesis-seed=1",
        "--assert=plain",
    ]
    status = 1
    try:
        status = int(pytest.main([*options, *tests]))
    finally:
        os._exit(status)


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a changed text."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._module:
            return None
        sys.meta_path.remove(self)
        plain = importlib.util.find_spec(fullname)
        assert plain is not None
        assert plain.origin is not None
        is_package = plain.submodule_search_locations is not None
        return importlib.util.spec_from_file_location(
            fullname, plain.origin, loader=self, submodule_search_locations=[] if is_package else None
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, str(module.__file__), "exec"), module.__dict__)
