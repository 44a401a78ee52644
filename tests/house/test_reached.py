"""What is installed is reached from what users have: a command, a public name, the plugin, a document."""

import ast

from tests.house.reached import unreached
from tests.house.source_tree import ROOT, Module

UNREACHED_LINES = 95
"""What `durability` sees of `replication`, a view that users name by its module. The number only falls."""


def test_nothing_more_is_installed_that_nothing_comes_to() -> None:
    found = {module.name: len(module.text.splitlines()) for module in unreached()}

    assert sum(found.values()) <= UNREACHED_LINES, f"delete it, or move it to tests/ or tools/: {found}"


def test_an_import_in_a_function_reaches_a_module_and_being_there_does_not() -> None:
    files = [
        planted("gridproof/cli.py", "def main():\n    from gridproof_model.hour import noon\n"),
        planted("model/gridproof_model/hour.py", "noon = 12\n"),
        planted("model/gridproof_model/minute.py", "from gridproof_model.second import LEAP\n"),
        planted("model/gridproof_model/second.py", "LEAP = 60\n"),
    ]

    assert [module.path.stem for module in unreached(files)] == ["minute", "second"]


def planted(name: str, text: str) -> Module:
    return Module(ROOT / name, text, ast.parse(text))
