"""Why snapshots keep their claims, however many faults."""

from gridproof_properties.proofs.arguments.snapshot import barriers, records
from gridproof_properties.proofs.arguments.snapshot.words import argument

__all__ = ["argument", "barriers", "records"]
