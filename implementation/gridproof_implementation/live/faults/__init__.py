"""Every fault of a live fleet, listed."""

from collections.abc import Mapping

from gridproof_implementation.live.fault import LiveFault
from gridproof_implementation.live.faults import (
    backup_messages,
    crash,
    cut_and_crash,
    cuts,
    leave,
    pause,
    restart,
    slow_link,
)

LIVE_FAULTS: tuple[LiveFault, ...] = (
    crash.FAULT,
    cut_and_crash.FAULT,
    restart.FAULT,
    leave.FAULT,
    pause.FAULT,
    cuts.SPLIT,
    cuts.OVERLAPPING_SPLIT,
    cuts.ONE_WAY_SPLIT,
    cuts.CUT,
    slow_link.FAULT,
    backup_messages.LATE,
    backup_messages.LOST,
)
"""All of them: what ends processes and hosts, what holds them up, what cuts them off, what stops messages."""
LIVE_FAULTS_BY_NAME: Mapping[str, LiveFault] = {fault.name: fault for fault in LIVE_FAULTS}
