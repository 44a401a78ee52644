"""Bugs planted in the pocket grid, a few lines each.

Each is a mistake that somebody makes: what the source says, and what it says instead.
"""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from gridproof_implementation.adapter import Adapter

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

PLANTED: Mapping[str, tuple[str, str]] = {
    "a delete forgets the backups": (
        "        for data in self.copies(key, via):\n            data.pop(key, None)\n",
        "        self.copies(key, via)[0].pop(key, None)\n",
    ),
    "a promotion begins with nothing": (
        "                self.nodes[name].data.setdefault(partition, {})\n",
        "                self.nodes[name].data[partition] = {}\n",
    ),
    "a move misses what is written meanwhile": (
        "            copies.append(self.move.entries)\n",
        "            pass\n",
    ),
    "a negative hash goes elsewhere": (
        "abs(hashed) % count",
        "hashed % count",
    ),
    "a move leaves the old copy behind": (
        "            del self.nodes[name].data[partition]\n",
        "            pass\n",
    ),
}
"""By what goes wrong: the lines of `pocket_grid.py`, and the wrong ones in their place."""


@contextmanager
def pocket_adapter(planted: str | None = None) -> Iterator[Adapter]:
    """Give the adapter of a pocket grid, good or with a bug, whose modules can be imported meanwhile."""
    source = (EXAMPLES / "pocket_grid.py").read_text("utf-8")
    if planted is not None:
        right, wrong = PLANTED[planted]
        assert source.count(right) == 1, f"{planted}: its line stands once in pocket_grid.py"
        source = source.replace(right, wrong)
    grid = ModuleType("pocket_grid")
    exec(compile(source, "pocket_grid.py", "exec"), vars(grid))
    names = ("pocket_grid", "pocket_adapter")
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        sys.modules["pocket_grid"] = grid
        spec = importlib.util.spec_from_file_location("pocket_adapter", EXAMPLES / "pocket_adapter.py")
        assert spec is not None, "the adapter is a module"
        assert spec.loader is not None, "the adapter is a file"
        module = importlib.util.module_from_spec(spec)
        sys.modules["pocket_adapter"] = module
        spec.loader.exec_module(module)
        yield module.ADAPTER
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(kept)
