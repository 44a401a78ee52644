"""Every fault of a live fleet, listed."""

from collections.abc import Mapping

from gridproof_implementation.live.fault import LiveFault
from gridproof_implementation.live.faults.cuts import CUTS
from gridproof_implementation.live.faults.ends import ENDS

LIVE_FAULTS: tuple[LiveFault, ...] = (*ENDS, *CUTS)
"""All of them: what ends processes and hosts, what holds them up, what cuts them off, what stops messages."""
LIVE_FAULTS_BY_NAME: Mapping[str, LiveFault] = {fault.name: fault for fault in LIVE_FAULTS}
