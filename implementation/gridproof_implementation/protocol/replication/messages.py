"""What members send each other about whole structures."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.structure import StructureId


@dataclass(frozen=True, slots=True)
class DestroyStructure(Message):
    """Somebody destroyed a structure: forget its content (calls.34, sync.6)."""

    structure: StructureId
