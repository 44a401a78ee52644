"""What a merging member gives its next incarnation."""

from dataclasses import dataclass

from gridproof_implementation.protocol.structure import Operation
from gridproof_model.identity import Address


@dataclass(frozen=True, slots=True)
class MergePayload:
    """Operations that bring the data of the old incarnation's primaries into the larger cluster (7.4)."""

    operations: tuple[tuple[int, Operation], ...] = ()
    """By partition: both clusters have the same number of them."""
    known_addresses: tuple[Address, ...] = ()
    """Where members ever were: should the larger cluster be gone, those of the smaller one find each other again."""
