"""The style, type and architecture checkers are tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

COMMANDS = {
    "ruff check": ("ruff", "check", "."),
    "ruff format": ("ruff", "format", "--check", "."),
    "mypy": ("mypy", "gridproof", "model", "implementation", "properties", "reports", "suite"),
    "pyright": ("pyright", "gridproof/__init__.py"),
    "import-linter": ("lint-imports", "--no-cache"),
}


NIGHTLY = {"mypy, the whole tree": ("mypy",), "pyright, the whole tree": ("pyright",)}
"""Nothing is kept from one time to the next: a tenth of the time of all tests. `make lint` has both, too."""


@pytest.mark.parametrize("tool", [*COMMANDS, *(pytest.param(name, marks=pytest.mark.nightly) for name in NIGHTLY)])
def test_the_tool_has_nothing_to_say(tool: str) -> None:
    program, *arguments = (COMMANDS | NIGHTLY)[tool]

    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
