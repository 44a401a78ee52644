"""Loads modules from changed syntax trees, in a child process.

Reach puts probes into modules, and a drawn mutant changes one place of a module. The changes are made when the module
is loaded, in a process of its own: no file on disk is changed, and code at the top level of a module can be changed,
too.

The child process is `python -m MODULE`. The child reads its task, which is one JSON object, from standard input, and
reports on standard output, with one JSON value on each line. The child ends when it is done, or is ended when the
parent needs no further reports.
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
    """Finds the changed modules at their usual places, but executes other syntax trees for them."""

    def __init__(self, trees: Mapping[str, ast.Module], given: Mapping[str, object]) -> None:
        """Take the trees, by full names of modules, and further globals for each of these modules."""
        self._trees = trees
        self._given = given

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module, with this loader; None for modules that are not changed."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self._trees else None
        if spec is not None:
            spec.loader = self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Let Python create the module in its usual way."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Execute the changed tree of the module."""
        module.__dict__.update(self._given)
        exec(compile(self._trees[module.__name__], str(module.__file__), "exec"), module.__dict__)


def load_changed(trees: Mapping[str, ast.Module], given: Mapping[str, object] | None = None) -> None:
    """Load these modules from other trees from now on; raise RuntimeError if one is loaded already."""
    if early := sorted(trees.keys() & sys.modules.keys()):
        raise RuntimeError(f"{early[0]} is already imported; call load_changed() before any import of this module")
    sys.meta_path.insert(0, ChangedModules(trees, given or {}))


def find_modules(package: str) -> Mapping[str, Path]:
    """Return the files of a package, by the full names of its modules, sorted; nothing is imported.

    Raise ModuleNotFoundError if the outermost package of the name does not exist.
    """
    outermost, *inner = package.split(".")
    spec = find_spec(outermost)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{outermost!r} is no installed package with modules in it; name such a package")
    root = Path(spec.submodule_search_locations[0])
    found: dict[str, Path] = {}
    for file in sorted(root.joinpath(*inner).rglob("*.py")):
        parts = [outermost, *file.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


Process = subprocess.Popen[str]


@contextmanager
def child(module: str, task: Mapping[str, object]) -> Iterator[Process]:
    """Start a child with its task; the child is ended when the block ends, unless it has ended before."""
    # The child imports from the same folders as this process, and the order of its sets is the same each time.
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
    """Check that a child has done its whole task; raise RuntimeError if it has not."""
    if status := process.wait():
        raise RuntimeError(f"a process of {sys.executable} ended with status {status}; its output is above")


def task() -> Any:
    """Return the task of this process, which is a child."""
    return json.load(sys.stdin)


def report(found: object) -> None:
    """Report something to the parent; this is called in the child."""
    print(json.dumps(found), flush=True)
