"""A fragment: structures of one namespace, with their version vector."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.protocol.structure import Structure, StructureId
from gridproof_implementation.protocol.version_vector import NO_VERSIONS, Versions


@dataclass(slots=True)
class Fragment:
    """What one member holds of one namespace in one partition; mutable."""

    versions: Versions = NO_VERSIONS
    dirty: bool = False
    """An update was missed: a sync is due (backups.11)."""
    structures: dict[StructureId, Structure] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FragmentData:
    """A fragment as it travels: data and versions read in one step (sync.12)."""

    namespace: str
    versions: Versions
    structures: Mapping[StructureId, object]
    """Each structure's replica data."""
