"""The messages between members about whole structures."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.structure import StructureId


@dataclass(frozen=True, slots=True)
class DestroyStructure(Message):
    """A client has destroyed a structure, so the receiver has to forget its content (calls.34, sync.6)."""

    structure: StructureId
