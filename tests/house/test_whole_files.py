"""A file is written by `whole_file.py`: whole or not at all, and a link is followed (decision 0020)."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source_tree import every_module

WRITERS = {"write_text", "write_bytes", "copy", "copy2", "copyfile", "copytree", "move"}
UNFINISHED = {"beside", "unfinished", "scratch"}
"""What has a name of its own until it is whole, or is nobody's."""
ROOMS = ("implementation/gridproof_implementation/live/",)
"""Members' own files, and what is fetched into a cache: a folder takes its place there when it is whole."""
LOGS = ("reports/gridproof_reports/pipeline/session.py",)
"""What others write while they run."""


def written_elsewhere(tree: ast.Module) -> Iterator[int]:
    """Yield the lines that write a file, or copy one, other than beside its place."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = [*node.args, *(one.value for one in node.keywords)]
        values = [one.value for one in given if isinstance(one, ast.Constant)]
        opens = name == "open" and any(isinstance(mode, str) and mode[:1] in ("w", "x", "a") for mode in values)
        copies = name in WRITERS and ("shutil" in ast.unparse(node.func) or name.startswith("write_"))
        named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if (opens or copies) and not named & UNFINISHED:
            yield node.lineno


def test_every_writer_goes_through_one_place() -> None:
    found = [
        f"{module.name}:{line}"
        for module in every_module(with_tests=False)
        if not module.name.startswith((*ROOMS, *LOGS))
        for line in written_elsewhere(module.tree)
    ]

    assert found == [], "write it with gridproof_model.whole_file"


@pytest.mark.parametrize(
    "line",
    ["place.write_text('x')", "open(place, 'w')", "place.open('xb')", "shutil.copytree(a, b)", "open(p, mode='a')"],
)
def test_a_writer_of_its_own_is_seen(line: str) -> None:
    assert list(written_elsewhere(ast.parse(line))) == [1]
