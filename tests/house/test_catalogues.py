"""What stands in a folder stands in its list."""

import importlib
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

FAMILIES = {
    "implementation/gridproof_implementation/adapters": "ADAPTERS",
    "properties/gridproof_properties/invariants": "INVARIANTS",
    "properties/gridproof_properties/checkers": "CHECKERS",
    "reports/gridproof_reports/pipeline/jobs": "JOBS",
    "reports/gridproof_reports/figures": "FIGURES",
    "model/gridproof_model/specifications": "SPECIFICATIONS",
}


@pytest.mark.parametrize("folder", FAMILIES)
def test_every_sibling_is_listed(folder: str) -> None:
    package = ".".join(Path(folder).parts[1:])
    catalogue = importlib.import_module(package)
    assert len(getattr(catalogue, FAMILIES[folder])) > 0
    source = (ROOT / folder / "__init__.py").read_text()
    siblings = sorted(p.stem for p in (ROOT / folder).glob("*.py") if not p.stem.startswith("_"))

    unlisted = [name for name in siblings if f"{package}.{name}" not in source and f"import {name}" not in source]

    assert unlisted == [], f"add these to {FAMILIES[folder]} in {folder}/__init__.py"
