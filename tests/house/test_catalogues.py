"""What stands in a folder stands in its list."""

import ast
from pathlib import Path

import pytest

from gridproof_properties.refinement import REFINEMENTS
from tests.house.source_tree import ROOT

FAMILIES = {
    "implementation/gridproof_implementation/adapters": "ADAPTERS",
    "implementation/gridproof_implementation/live/faults": "LIVE_FAULTS",
    "implementation/gridproof_implementation/protocol/merging/policies": "MERGE_POLICIES",
    "implementation/gridproof_implementation/protocol/structures": "STRUCTURES",
    "implementation/gridproof_implementation/simulator/faults": "FAULTS",
    "implementation/gridproof_implementation/simulator/workloads": "WORKLOADS",
    "properties/gridproof_properties/invariants": "INVARIANTS",
    "properties/gridproof_properties/checkers": "CHECKERS",
    "properties/gridproof_properties/papers": "PAPERS",
    "properties/gridproof_properties/proofs/arguments": "ARGUMENTS",
    "properties/gridproof_properties/stories/hazelcast": "STORIES",
    "reports/gridproof_reports/figures": "FIGURES",
    "model/gridproof_model/specifications": "SPECIFICATIONS",
    "gridproof/commands": "COMMANDS",
    "suite/commands": "COMMANDS",
    "benchmarks": "BENCHMARKS",
}
MIXED = {
    "properties/gridproof_properties/simulated": ("PROPERTIES", "SIMULATED", "STEPPED", "UNGROUPED"),
    "suite/zoo/members": ("MEMBER_MUTANTS", "MEMBER_MUTANTS"),
    "properties/gridproof_properties/measures": ("QUANTITIES", "QUANTITIES"),
    "properties/gridproof_properties/machines": ("Machine", "MACHINES"),
}
"""Folders where helpers stand beside what grows: what a module of the family defines, and the tuples that list it."""


@pytest.mark.parametrize("folder", FAMILIES)
def test_every_sibling_is_listed(folder: str) -> None:
    siblings = {p.stem for p in (ROOT / folder).iterdir() if not p.stem.startswith("_")}

    unlisted = siblings - listed_siblings(folder, FAMILIES[folder])

    assert unlisted == set(), f"add these to {FAMILIES[folder]} in {folder}/__init__.py"


@pytest.mark.parametrize("folder", MIXED)
def test_every_sibling_among_helpers_is_listed(folder: str) -> None:
    mark, *catalogues = MIXED[folder]
    family = {path.stem for path in (ROOT / folder).iterdir() if defines(path, mark)}

    unlisted = family.difference(*(listed_siblings(folder, catalogue) for catalogue in catalogues))

    assert family
    assert unlisted == set(), f"add these to {' or '.join(catalogues)} in {folder}/__init__.py"


def test_every_judge_of_a_specification_is_a_property() -> None:
    folder = ROOT / "properties/gridproof_properties/refinement"
    judged = {
        path.stem for path in folder.glob("*.py") if "    SPECIFICATION = specification" in path.read_text("utf-8")
    }

    assert {one.name for one in REFINEMENTS} == {f"refines-{name}" for name in judged}


def defines(path: Path, mark: str) -> bool:
    """Whether a module, or the judge of a package, defines the name of its family, or a class that ends with it."""
    file = path / "judge.py" if path.is_dir() else path
    if file.suffix != ".py" or path.stem.startswith("_") or not file.exists():
        return False
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            if any(isinstance(target, ast.Name) and target.id == mark for target in targets):
                return True
        elif isinstance(node, ast.ClassDef) and node.name.endswith(mark):
            return True
    return False


def listed_siblings(folder: str, catalogue: str) -> set[str]:
    """Return the siblings that the catalogue's tuple names, directly or by something imported from them."""
    home = "__main__.py" if folder == "benchmarks" else "__init__.py"
    tree = ast.parse((ROOT / folder / home).read_text())
    sibling_of: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            before, _, behind = node.module.rpartition(f"{folder.split('/')[-1]}.")
            for alias in node.names:
                sibling = behind.split(".")[0] if before or node.module.startswith("benchmarks.") else alias.name
                sibling_of[alias.asname or alias.name] = sibling
    lists = [part for part in tree.body if is_list(part, catalogue)]
    named = {name.id for part in lists for name in names_in(part)}
    # A command stands there as a text: its module is imported only when it is asked for.
    texts = {str(text.value) for part in lists for text in ast.walk(part) if isinstance(text, ast.Constant)}
    return texts | {sibling_of[name] for name in named if name in sibling_of}


def is_list(node: ast.stmt, catalogue: str) -> bool:
    """Whether a statement gives the catalogue its value."""
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == catalogue


def names_in(node: ast.stmt) -> list[ast.Name]:
    """Return every plain name in the value of a statement."""
    return (
        [part for part in ast.walk(node.value) if isinstance(part, ast.Name)]
        if isinstance(node, ast.AnnAssign) and node.value
        else []
    )
