"""Properties of histories, contents and routes."""

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
"""All these properties: what clients see, what copies hold, where keys go."""
