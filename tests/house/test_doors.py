"""Each outside library enters by one door."""

import ast
from functools import cache

import pytest

from tests.house.source_tree import Module, every_module

DOORS = {
    "mmh3": ("implementation/gridproof_implementation/hashing.py",),
    "hypothesis": (
        "properties/gridproof_properties/strategies/",
        "properties/gridproof_properties/machines/",
        "suite/blind/by_tests.py",
    ),
    "z3": ("properties/gridproof_properties/proofs/",),
    "networkx": ("reports/gridproof_reports/drawing/state_graph.py", "reports/gridproof_reports/figures/"),
    "scipy": (
        "properties/gridproof_properties/intervals.py",
        "properties/gridproof_properties/explorer/sparse.py",
    ),
    "matplotlib": ("reports/gridproof_reports/figures/", "reports/gridproof_reports/drawing/style.py"),
    "pyspark": ("reports/gridproof_reports/pipeline/", "reports/gridproof_reports/campaigns/campaigning.py"),
    "yaml": ("implementation/gridproof_implementation/config/",),
    "defusedxml": ("implementation/gridproof_implementation/config/",),
    "jinja2": ("reports/gridproof_reports/pages/",),
    "rich": ("gridproof/", "suite/commands/"),
    "pytest": ("gridproof/pytest_plugin.py", "suite/blind/by_tests.py"),
}


@pytest.mark.parametrize("library", sorted(DOORS))
def test_a_library_is_imported_only_at_its_door(library: str) -> None:
    elsewhere = [
        module.name
        for module in every_module(with_tests=False)
        if library in imported(module) and not module.name.startswith(DOORS[library])
    ]

    assert elsewhere == [], f"{library} enters at {' or '.join(DOORS[library])} only"


@cache
def imported(module: Module) -> set[str]:
    """Return the top-level names a module imports, at any depth of its code."""
    names: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module.split(".")[0])
    return names
