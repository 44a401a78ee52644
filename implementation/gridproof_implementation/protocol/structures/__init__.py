"""All kinds of structure, by the `kind` in their `StructureId`."""

from collections.abc import Callable, Mapping

from gridproof_implementation.protocol.structure import Operation, Structure, StructureId
from gridproof_implementation.protocol.structures.list import KIND as LIST
from gridproof_implementation.protocol.structures.list import ListPart
from gridproof_implementation.protocol.structures.lock import KIND as LOCK
from gridproof_implementation.protocol.structures.lock import LockPart, release_of
from gridproof_implementation.protocol.structures.map import KIND as MAP
from gridproof_implementation.protocol.structures.map import MapPart
from gridproof_implementation.protocol.structures.queue import KIND as QUEUE
from gridproof_implementation.protocol.structures.queue import QueuePart
from gridproof_implementation.protocol.structures.set import KIND as SET
from gridproof_implementation.protocol.structures.set import SetPart
from gridproof_model.membership import MemberId

STRUCTURES: Mapping[str, Callable[[], Structure]] = {
    MAP: MapPart,
    LOCK: LockPart,
    QUEUE: QueuePart,
    LIST: ListPart,
    SET: SetPart,
}
FRAGMENTED = frozenset({MAP, LOCK})
"""The kinds of structures that have a namespace for each structure (backups.7)."""
RELEASES: Mapping[str, Callable[[StructureId, Structure, MemberId], Operation | None]] = {LOCK: release_of}
"""The kinds that contain locks, each with a function that returns the operation that releases a gone member's locks."""
