"""A fragment: the structures of one namespace in one partition, with their version vector."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.protocol.structure import Structure, StructureId
from gridproof_implementation.protocol.version_vector import NO_VERSIONS, Versions


@dataclass(slots=True)
class Fragment:
    """The data of one namespace in one partition on one member; mutable."""

    versions: Versions = NO_VERSIONS
    dirty: bool = False
    """Whether an update was missed, so that a sync is due (backups.11)."""
    structures: dict[StructureId, Structure] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FragmentData:
    """A fragment as it is sent to a member: its data and versions, read in one step (sync.12)."""

    namespace: str
    versions: Versions
    structures: Mapping[StructureId, object]
    """The replica data of each structure."""
