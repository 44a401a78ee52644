"""Worlds of `tables` large enough for whole runs."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_model.language import Specification
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.specifications.tables import specification as tables
from gridproof_properties.refinement.behaviour import Size

MIGRATIONS_MAX = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeOfTables(Size):
    """How large the world of one partition is."""

    SPECIFICATION: ClassVar[Specification] = tables
    PLENTIFUL: ClassVar[tuple[str, ...]] = ("versions", "changes", "edits", "orders", "losses", "endings")
    MEMBERS_MAX: ClassVar[int] = 64
    backups: int = MAX_BACKUP_COUNT
    tables_sent: int = 40
    """Tables of one member that are kept: whoever has sent more has its oldest ones forgotten."""
    migrations: int = 8
