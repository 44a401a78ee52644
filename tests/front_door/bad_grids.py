"""Bad adapters by a name that a user can type."""

import os
from dataclasses import replace

from gridproof_implementation.adapter import Adapter, Kind
from tests.properties.bad_adapters import MISSPELT, NOISY, OPEN_EXITS, WRITE_FAILS, late, placer, raising
from tests.properties.honest_grid import adapter_of
from tests.properties.lies_about_tables import NamesOneMemberTwice
from tests.properties.lying_grids import TablesOnly

__all__ = [
    "AND_BREAKS_A_PROMISE",
    "ENDS",
    "FEW_PROMISES",
    "MISSPELT",
    "NEVER_PLACES",
    "NEVER_TWO",
    "NOISY",
    "OPEN_EXITS",
    "PROMISES_WHAT_NO_RUN_SHOWS",
    "WRITE_FAILS",
]

FEW_PROMISES = replace(adapter_of(TablesOnly, ["full-rows", "views-agree"]), name="few")
"""It keeps them: what stands beside a bad one."""
PROMISES_WHAT_NO_RUN_SHOWS = adapter_of(TablesOnly, ["full-rows", "backups-converge"])
AND_BREAKS_A_PROMISE = adapter_of(NamesOneMemberTwice, ["one-replica-per-member", "lock-excludes"])
NEVER_TWO = late("start_member", raising(OSError("port in use")))
NEVER_PLACES = placer(raising(OSError("no ring")))
ENDS = Adapter("ends", "it ends the process it is opened in", Kind.GRID, lambda options: os._exit(7))
