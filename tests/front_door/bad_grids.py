"""Bad adapters by a name that a user can type."""

import os

from gridproof_implementation.adapter import Adapter, Kind
from tests.properties.bad_adapters import MISSPELT, NOISY, OPEN_EXITS, WRITE_FAILS

__all__ = ["ENDS", "MISSPELT", "NOISY", "OPEN_EXITS", "WRITE_FAILS"]

ENDS = Adapter("ends", "it ends the process it is opened in", Kind.GRID, lambda options: os._exit(7))
