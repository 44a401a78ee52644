"""Planted bugs, and what must notice each."""

from gridproof_properties.zoo import mutated_grids, mutated_histories, mutated_tables, placement, tables
from gridproof_properties.zoo.mutant import Mutant
from gridproof_properties.zoo.trace_mutation import TraceMutation

ZOO: tuple[Mutant, ...] = (*placement.MUTANTS, *tables.MUTANTS)
"""Mutants of the reference; `tour` shows each of them."""
TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    *mutated_tables.TRACE_MUTATIONS,
    *mutated_histories.TRACE_MUTATIONS,
    *mutated_grids.TRACE_MUTATIONS,
)
"""Changes to the records of a good run."""
