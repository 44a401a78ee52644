"""Planted bugs, each with the properties that have to notice it."""

from suite.zoo import mutated_histories, mutated_statements, mutated_tables, placement
from suite.zoo.mutant import Mutant
from suite.zoo.trace_mutation import TraceMutation

ZOO: tuple[Mutant, ...] = placement.MUTANTS
"""The mutants of tables and placement; `tour` shows each of them."""
TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    *mutated_tables.TRACE_MUTATIONS,
    *mutated_histories.TRACE_MUTATIONS,
    *mutated_statements.TRACE_MUTATIONS,
)
"""Mutations that change the records of a good run."""
