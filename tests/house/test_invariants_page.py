"""The page of invariants names what exists."""

import re

from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement import REFINEMENTS
from gridproof_properties.simulated import SIMULATED, STEPPED, UNGROUPED
from tests.house.source_tree import ROOT
from tests.house.test_conformance_page import exists

PAGE = ROOT / "docs" / "invariants.md"
COUNTS = {"H": 3, "A": 8, "T": 6, "M": 7, "P": 4, "R": 7, "I": 7, "S": 8}
"""How many invariants of each sort there are."""
INVARIANTS = [f"{letter}{number}" for letter, last in COUNTS.items() for number in range(1, last + 1)]
JUDGES = (*CATALOGUE, *UNGROUPED)
PROPERTIES: dict[str, Property] = {prop.name: prop for prop in JUDGES}
CLAIMS = {claim.name for specification in SPECIFICATIONS for claim in specification.claims}
ROWS = {
    cells[0].split()[0]: cells[2]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split(" | ")]) == 3 and cells[0] != "invariant"
}
"""What looks at each invariant."""


def named(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_every_invariant_has_a_row() -> None:
    assert list(ROWS) == INVARIANTS


def test_what_looks_at_an_invariant_exists() -> None:
    known = PROPERTIES.keys() | CLAIMS
    names = [(invariant, name) for invariant in INVARIANTS for name in named(ROWS[invariant])]

    assert [(invariant, name) for invariant, name in names if name not in known and not exists(name)] == []


def test_what_cannot_be_looked_at_has_a_reason() -> None:
    assert [one for one in INVARIANTS if not named(ROWS[one]) and "no trace: " not in ROWS[one]] == []


def test_a_property_stands_where_its_source_says() -> None:
    said = [(prop.name, one) for prop in PROPERTIES.values() for one in invariants_of(prop)]

    assert [(name, one) for name, one in said if one in ROWS and name not in named(ROWS[one])] == []


def invariants_of(prop: Property) -> list[str]:
    """Return the invariants that a property's source names."""
    parts = [part for part in prop.source.split("; ") if part.startswith("invariant ")]
    return [one for part in parts for one in part.removeprefix("invariant ").split(", ")]


def test_every_property_of_simulated_runs_stands_on_the_page() -> None:
    everything = set(named(PAGE.read_text(encoding="utf-8")))

    assert {prop.name for prop in (*SIMULATED, *STEPPED, *REFINEMENTS)} - everything == set()
