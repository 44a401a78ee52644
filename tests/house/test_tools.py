"""The style, type and architecture checkers are tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

COMMANDS = {
    "ruff check": ("ruff", "check", "."),
    "ruff format": ("ruff", "format", "--check", "."),
    "mypy": ("mypy",),
    "pyright": ("pyright",),
    "import-linter": ("lint-imports", "--no-cache"),
}


@pytest.mark.parametrize("tool", COMMANDS)
def test_the_tool_has_nothing_to_say(tool: str) -> None:
    program, *arguments = COMMANDS[tool]

    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
