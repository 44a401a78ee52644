"""Planted bugs, and what must notice each."""

from gridproof_properties.zoo import doctored_grids, doctored_histories, doctored_tables, placement, tables
from gridproof_properties.zoo.doctoring import Doctoring
from gridproof_properties.zoo.mutant import Mutant

ZOO: tuple[Mutant, ...] = (*placement.MUTANTS, *tables.MUTANTS)
"""Mutants of the reference; `tour` shows each of them."""
DOCTORINGS: tuple[Doctoring, ...] = (
    *doctored_tables.DOCTORINGS,
    *doctored_histories.DOCTORINGS,
    *doctored_grids.DOCTORINGS,
)
"""Changes to the records of a good run."""
