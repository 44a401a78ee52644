"""Mutants of tables: versions, merging, who hears of it."""

from dataclasses import replace
from unittest.mock import patch

from gridproof_implementation.placement import plan
from gridproof_implementation.placement.plan import apply_migration
from gridproof_model.migration import Migration
from gridproof_model.partition_table import PartitionRow, PartitionTable
from suite.zoo.mutant import Mutant

_merged = PartitionTable.merged


def _keep_the_version(row: PartitionRow, migration: Migration) -> PartitionRow:
    return replace(apply_migration(row, migration), version=row.version)


def _take_what_comes(table: PartitionTable, received: PartitionTable) -> PartitionTable:
    return received if received.is_initialised else _merged(table, received)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        name="version-not-raised",
        rule="A migration leaves the version of its row as it was.",
        source="mutant M27",
        breaks=("equal-version-equal-row",),
        plant=lambda: patch.object(plan, "apply_migration", _keep_the_version),
    ),
    Mutant(
        name="older-rows-accepted",
        rule="A received table replaces the own one, whatever its versions.",
        source="mutant M24",
        breaks=("version-never-decreases",),
        plant=lambda: patch.object(PartitionTable, "merged", _take_what_comes),
    ),
)
