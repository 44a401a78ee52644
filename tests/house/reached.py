"""Installed modules that nothing installed comes to: `python -m tests.house.reached` lists them.

A walk begins at the command line, every command, the public names and the pytest plugin, at what a document names for
users, and at what is started by its name. An import counts wherever it stands, in a function or under `TYPE_CHECKING`,
and so does a text that is the name of a module. What a walk comes to may still hold a function that nobody calls.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.house.source_tree import ROOT, WINGS, Module, dotted_name, every_module

FRONT = re.compile(r"gridproof(\.(__main__|cli|pytest_plugin|commands\..+))?")
STARTED_BY_PLACE = re.compile(r"gridproof_implementation\.live\.(systems|skeletons)\..+")
"""Agents, in a process of their own, found by their folder or from a name that is put together."""
SHOWN = re.compile(r"gridproof(?:_[a-z]+)?(?:\.\w+)+")
OFFERED = re.compile(r"gridproof_properties\.(machines|strategies)\..+")
"""What `docs/your-own-machine.md` offers by short names."""


def unreached(files: Iterable[Module] | None = None) -> list[Module]:
    """Return the modules that no walk comes to, of these or of all that are installed, in the order of their names."""
    modules = {
        dotted_name(module): module for module in files or every_module(with_tests=False) if _is_installed(module)
    }
    reached: set[str] = set()
    begins = (FRONT, STARTED_BY_PLACE, OFFERED)
    left = [name for name in modules if any(pattern.fullmatch(name) for pattern in begins)]
    left += _named_in_documents()
    while left:
        name = left.pop()
        if name in modules and name not in reached:
            reached.add(name)
            left += _names_in(modules[name].tree)
            left += _packages_of(name)
    return [module for name, module in sorted(modules.items()) if name not in reached]


def _is_installed(module: Module) -> bool:
    return module.name.partition("/")[0] in WINGS


def _packages_of(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _named_in_documents() -> Iterable[str]:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")):
        for name in SHOWN.findall(page.read_text(encoding="utf-8")):
            yield from (name, name.rpartition(".")[0])


def _names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Constant(value=str(text)):
                yield text
            case _:
                pass


if __name__ == "__main__":
    for found in unreached():
        print(f"{len(found.text.splitlines()):6} {found.name}")
