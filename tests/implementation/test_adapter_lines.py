"""A shipped adapter is as short as an engineer's own: what is long about a system stands beside it, with its reason."""

import ast
import re
import tokenize
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import TypeGuard

import pytest

from gridproof_implementation.live import agent as agent_module
from tests.house.source_tree import ROOT

LIVE = Path(agent_module.__file__).parent
LINES_MAX = {".py": 50, ".java": 100}
"""An adapter has fewer lines of code."""
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def python_lines(text: str) -> int:
    """Count the lines that are neither blank nor a comment nor a docstring."""
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    written = {line for one in tokens if one.type not in NO_CODE for line in range(one.start[0], one.end[0] + 1)}
    said = {
        line for node in ast.walk(ast.parse(text)) if is_docstring(node)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }  # fmt: skip
    return len(written - said)


def is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def java_lines(text: str) -> int:
    """Count the lines that are neither blank nor a comment."""
    return sum(bool(line.strip()) for line in re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).splitlines())


COUNTS: Mapping[str, Callable[[str], int]] = {".py": python_lines, ".java": java_lines}
IN_JAVA = sorted(path for path in LIVE.rglob("*.java") if "public static void main(" in path.read_text())
SHIPPED = [*sorted(LIVE.glob("systems/*/agent.py")), LIVE / "skeletons" / "python" / "agent.py", *IN_JAVA]
ADAPTERS = {f"{path.parent.name}/{path.name}" for path in SHIPPED if "skeletons" not in path.parts}


def test_every_shipped_agent_in_python_is_found() -> None:
    paths = LIVE.glob("systems/**/*.py")
    serving = {f"{path.parent.name}/{path.name}" for path in paths if calls_serve(ast.parse(path.read_text()))}

    assert serving == {name for name in ADAPTERS if name.endswith(".py")}
    assert len(serving) > 2


def calls_serve(tree: ast.Module) -> bool:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == "serve" for called in calls)


def test_every_shipped_agent_in_java_is_found() -> None:
    assert {"hazelcast/HazelcastAgent.java", "ignite/IgniteAgent.java", "atomix/AtomixAgent.java"} <= ADAPTERS


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.relative_to(LIVE).as_posix())
def test_an_adapter_is_short(path: Path) -> None:
    lines = COUNTS[path.suffix](path.read_text())

    assert 20 < lines < LINES_MAX[path.suffix], "what the system needs besides its verbs goes into a file beside it"


def test_the_page_says_how_long_they_are_and_what_stands_beside_them() -> None:
    page = (ROOT / "docs" / "adapter-protocol.md").read_text()
    stated = {name: int(lines) for lines, name in re.findall(r"(\d+) `(\w+/\w+\.(?:py|java))`", page)}
    files = {name: LIVE / "systems" / name for name in stated}

    assert stated == {name: COUNTS[path.suffix](path.read_text()) for name, path in files.items()}
    assert set(stated) >= ADAPTERS


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ('"""A caption.\n\nAnd more.\n"""\n# a comment\n\nimport os  # why\n', 1),
        ('def f(\n    a,\n):\n    """Say."""\n    return a\n', 4),
        ('X = 1\n"""What it is."""\nY = """\ntext\n"""\n', 4),
        ("x = [\n    1,\n\n    # one\n]\n", 3),
    ],
)
def test_what_counts_is_code(text: str, lines: int) -> None:
    assert python_lines(text) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("/** What it is.\n *\n * And more. */\nclass A {} // why\n\n", 1),
        ("// a comment\nint a;\n/* none */ int b;\n", 2),
    ],
)
def test_what_counts_is_code_in_java_too(text: str, lines: int) -> None:
    assert java_lines(text) == lines


def test_an_agent_that_is_copied_checks_by_no_assert() -> None:
    copied = [path for path in (LIVE / "skeletons").rglob("*.py") if "    assert " in path.read_text("utf-8")]

    assert copied == []  # `python -O` drops them
