"""Properties of histories, contents and routes."""

from gridproof_properties.checkers import (
    acknowledgement,
    all_copies,
    availability,
    calm,
    contents,
    copies,
    durability,
    entries,
    linearizability,
    polled_lists,
    polled_tables,
    polled_versions,
    reads,
    redundancy,
    routes,
    shown_tables,
)
from gridproof_properties.judging.judge import Property

CHECKERS: tuple[Property, ...] = (
    *availability.PROPERTIES,
    *durability.PROPERTIES,
    *entries.PROPERTIES,
    *reads.PROPERTIES,
    *linearizability.PROPERTIES,
    *acknowledgement.PROPERTIES,
    *all_copies.PROPERTIES,
    *calm.PROPERTIES,
    *contents.PROPERTIES,
    *copies.PROPERTIES,
    *redundancy.PROPERTIES,
    *shown_tables.PROPERTIES,
    *polled_tables.PROPERTIES,
    *polled_lists.PROPERTIES,
    *polled_versions.PROPERTIES,
    *routes.PROPERTIES,
)
"""All of them: what clients see, what copies hold, where keys go."""
