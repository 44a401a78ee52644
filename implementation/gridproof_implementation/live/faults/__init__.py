"""Every fault of a live fleet, listed."""

from collections.abc import Mapping

from gridproof_implementation.live.fault import LiveFault
from gridproof_implementation.live.faults.cuts import CUTS
from gridproof_implementation.live.faults.ends import ENDS

LIVE_FAULTS: tuple[LiveFault, ...] = (*ENDS, *CUTS)
"""All live faults: those that end, delay or cut off processes and hosts, and those that stop messages."""
LIVE_FAULTS_BY_NAME: Mapping[str, LiveFault] = {fault.name: fault for fault in LIVE_FAULTS}
