"""Every kind of structure, by the word its identity carries."""

from collections.abc import Callable, Mapping

from gridproof_implementation.protocol.structure import Structure
from gridproof_implementation.protocol.structures.map import KIND as MAP
from gridproof_implementation.protocol.structures.map import MapPart

STRUCTURES: Mapping[str, Callable[[], Structure]] = {MAP: MapPart}
FRAGMENTED = frozenset({MAP})
"""Kinds with a namespace for every name (reference replication 2.3)."""
