"""Properties of histories, contents and routes."""

from gridproof_properties.checkers import (
    acknowledgement,
    all_copies,
    contents,
    durability,
    linearizability,
    reads,
    routes,
)
from gridproof_properties.judge import Property

CHECKERS: tuple[Property, ...] = (
    *durability.PROPERTIES,
    *reads.PROPERTIES,
    *linearizability.PROPERTIES,
    *acknowledgement.PROPERTIES,
    *all_copies.PROPERTIES,
    *contents.PROPERTIES,
    *routes.PROPERTIES,
)
"""All of them: what clients see, what copies hold, where keys go."""
