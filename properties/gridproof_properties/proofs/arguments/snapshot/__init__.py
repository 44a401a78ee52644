"""Why stream jobs keep their claims, however little members know of each other.

A snapshot has what came before its barriers, whoever takes part in what; and a coordinator clears only the map that no
record names which may be read.
"""

from gridproof_properties.proofs.arguments.snapshot import barriers, records
from gridproof_properties.proofs.arguments.snapshot.words import argument

__all__ = ["argument", "barriers", "records"]
