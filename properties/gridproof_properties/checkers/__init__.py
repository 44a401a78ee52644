"""Properties of client histories, of contents and of the routes of keys."""

from gridproof_properties.checkers import (
    acknowledgement,
    availability,
    calm,
    copies,
    durability,
    linearizability,
    polled_lists,
    polled_tables,
    polled_versions,
    redundancy,
    routes,
    shown_tables,
)
from gridproof_properties.judging.judge import Property

CHECKERS: tuple[Property, ...] = (
    *availability.PROPERTIES,
    *durability.PROPERTIES,
    *linearizability.PROPERTIES,
    *acknowledgement.PROPERTIES,
    *calm.PROPERTIES,
    *copies.PROPERTIES,
    *redundancy.PROPERTIES,
    *shown_tables.PROPERTIES,
    *polled_tables.PROPERTIES,
    *polled_lists.PROPERTIES,
    *polled_versions.PROPERTIES,
    *routes.PROPERTIES,
)
"""All properties of this package: of what clients see, of what copies hold, and of where keys go."""
