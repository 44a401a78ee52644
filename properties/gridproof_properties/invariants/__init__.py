"""Properties of partition tables."""

from gridproof_properties.invariants import agreement, balance, movement, rows, versions
from gridproof_properties.judging.judge import Property

INVARIANTS: tuple[Property, ...] = (
    *rows.PROPERTIES,
    *balance.PROPERTIES,
    *movement.PROPERTIES,
    *versions.PROPERTIES,
    *agreement.PROPERTIES,
)
"""All properties of tables: of single rows, of whole tables, and of whole runs."""
