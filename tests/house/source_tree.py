"""The project's own Python files, parsed once."""

import ast
import gc
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WINGS = ("gridproof", "model", "implementation", "properties", "reports")
"""What is installed."""
PRODUCT = (*WINGS, "suite")


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The path from the project's root."""
        return self.path.relative_to(ROOT).as_posix()


def dotted_name(module: Module) -> str:
    """Return what a module of the product is imported by."""
    parts = module.path.relative_to(ROOT).with_suffix("").parts
    inside = parts if parts[0] in ("gridproof", "suite") else parts[1:]
    return ".".join(inside).removesuffix(".__init__")


@cache
def every_module(*, with_tests: bool = True) -> tuple[Module, ...]:
    """Return every Python file git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    paths = [ROOT / name for name in sorted(set(listed)) if (ROOT / name).exists()]
    gc.disable()  # looking for garbage among millions of nodes that stay takes three times as long as parsing them
    try:
        return tuple(_module(path) for path in paths if with_tests or path.relative_to(ROOT).parts[0] in PRODUCT)
    finally:
        gc.freeze()
        gc.enable()


@cache
def _module(path: Path) -> Module:
    return Module(path, text := path.read_text(), ast.parse(text))
