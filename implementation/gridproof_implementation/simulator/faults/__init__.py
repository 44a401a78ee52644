"""Every fault."""

from gridproof_implementation.simulator.fault import Fault
from gridproof_implementation.simulator.faults import (
    broken_connection,
    clock_skew,
    cluster_state,
    crash,
    crash_at_step,
    failing_backup,
    late,
    late_restart,
    lossy_links,
    lost_once,
    membership_change,
    network,
    next_incarnation,
    pause,
    restart,
    slow_member,
    split,
    stale_table,
)

FAULTS: tuple[Fault, ...] = (
    crash.FAULT,
    crash_at_step.FAULT,
    restart.FAULT,
    late_restart.FAULT,
    next_incarnation.FAULT,
    pause.FAULT,
    slow_member.FAULT,
    clock_skew.FAULT,
    lossy_links.DROP,
    lossy_links.DELAY,
    late.FAULT,
    lossy_links.DUPLICATE,
    lossy_links.OVERTAKE,
    split.SPLIT,
    split.OVERLAPPING_SPLIT,
    split.ONE_WAY_SPLIT,
    broken_connection.FAULT,
    stale_table.FAULT,
    membership_change.JOIN,
    membership_change.LEAVE,
    membership_change.PROMOTE_LITE,
    cluster_state.FAULT,
    failing_backup.FAULT,
    lost_once.FAULT,
    network.LOSS,
    network.LAG,
)
"""All of them: what ends members, what holds them up, what bends links, what changes the cluster."""
NAMED_ONLY = (lost_once.FAULT, network.LOSS, network.LAG)
DRAWN: tuple[Fault, ...] = tuple(fault for fault in FAULTS if fault not in NAMED_ONLY)
"""What a seed draws from; the others have to be asked for by their names."""
FAULTS_BY_NAME = {fault.name: fault for fault in FAULTS}
