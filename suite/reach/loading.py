"""Modules loaded from a changed syntax tree.

Reach puts probes into modules, a drawn mutant changes one place of one. Both are done where a module is loaded, in a
process of its own: nothing on disk is touched, and what a module says at its top level changes, too.

A process of its own for modules loaded anew. The child is `python -m MODULE`. It reads its task, one JSON object, from
standard input, and says what it finds on standard output, one JSON value a line. It ends when it is done, and is ended
when nobody wants more of it.
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any


class ChangedModules(MetaPathFinder, Loader):
    """Finds some modules where they are, and executes other trees in their place."""

    def __init__(self, trees: Mapping[str, ast.Module], given: Mapping[str, object]) -> None:
        """Take the trees by the full names of modules, and what each finds in its globals besides."""
        self._trees = trees
        self._given = given

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is, with this loader; None for those that stay as they are."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self._trees else None
        if spec is not None:
            spec.loader = self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to Python to make the module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Execute the changed tree."""
        module.__dict__.update(self._given)
        exec(compile(self._trees[module.__name__], str(module.__file__), "exec"), module.__dict__)


def load_changed(trees: Mapping[str, ast.Module], given: Mapping[str, object] | None = None) -> None:
    """Have these modules loaded from other trees from now on; RuntimeError when one is loaded already."""
    if early := sorted(trees.keys() & sys.modules.keys()):
        raise RuntimeError(f"{early[0]} was imported before it could be changed")
    sys.meta_path.insert(0, ChangedModules(trees, given or {}))


def find_modules(package: str) -> Mapping[str, Path]:
    """Return the files of a package by the full names of its modules, sorted; nothing is imported.

    Raises ModuleNotFoundError when its outermost package is not there.
    """
    outermost, *inner = package.split(".")
    spec = find_spec(outermost)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {outermost} to load")
    root = Path(spec.submodule_search_locations[0])
    found: dict[str, Path] = {}
    for file in sorted(root.joinpath(*inner).rglob("*.py")):
        parts = [outermost, *file.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


Process = subprocess.Popen[str]


@contextmanager
def child(module: str, task: Mapping[str, object]) -> Iterator[Process]:
    """Start a child with its task; it is ended at the latest with the block."""
    # Where it imports from, and the order of its sets, are the same as here and each time.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "0"}
    words = [sys.executable, "-m", module]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8"
    ) as process:
        try:
            assert process.stdin is not None
            json.dump(task, process.stdin)
            process.stdin.close()
            yield process
        finally:
            process.kill()


def reports_of(process: Process) -> Iterator[Any]:
    """Yield what a child reports, until it ends."""
    assert process.stdout is not None
    for line in process.stdout:
        yield json.loads(line)


def ended_well(process: Process) -> None:
    """See that a child did all it was to do; RuntimeError when it did not."""
    if status := process.wait():
        raise RuntimeError(f"a process of {sys.executable} ended with status {status}; its output is above")


def task() -> Any:
    """Return the task of this process, which is the child."""
    return json.load(sys.stdin)


def report(found: object) -> None:
    """Report to the parent, as the child."""
    print(json.dumps(found), flush=True)
