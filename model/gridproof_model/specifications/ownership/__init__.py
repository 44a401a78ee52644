"""Who owns a partition: membership, tables, promotion, migration, master succession."""

from gridproof_model.specifications.ownership import (
    anomalies,
    claims,
    mastering,
    membership,
    migrating,
    progress,
    promoting,
    tables,
)
from gridproof_model.specifications.ownership.state import specification

__all__ = [
    "anomalies",
    "claims",
    "mastering",
    "membership",
    "migrating",
    "progress",
    "promoting",
    "specification",
    "tables",
]
