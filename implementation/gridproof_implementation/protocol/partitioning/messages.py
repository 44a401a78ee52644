"""What members tell each other about the partition table."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_model.partition_table import PartitionRow


@dataclass(frozen=True, slots=True)
class TableState(Message):
    """The whole table (reference partitioning 2.6)."""

    URGENT: ClassVar[bool] = True

    rows: tuple[PartitionRow, ...]


@dataclass(frozen=True, slots=True)
class AssignPartitions(Message):
    """Somebody needs an owner: arrange, master (reference partitioning 2.4)."""

    URGENT: ClassVar[bool] = True
