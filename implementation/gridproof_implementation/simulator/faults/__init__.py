"""Every fault."""

from gridproof_implementation.simulator.fault import Fault
from gridproof_implementation.simulator.faults.bad_links import BENT, FAILING_BACKUP, NAMED
from gridproof_implementation.simulator.faults.changes import CHANGES
from gridproof_implementation.simulator.faults.delays import DELAYS
from gridproof_implementation.simulator.faults.ends import ENDS

FAULTS: tuple[Fault, ...] = (*ENDS, *DELAYS, *BENT, *CHANGES, FAILING_BACKUP, *NAMED)
"""All faults: they end members, delay members, change links, or change the cluster."""
DRAWN: tuple[Fault, ...] = tuple(fault for fault in FAULTS if fault not in NAMED)
"""The faults from which a seed draws; the others have to be requested by name."""
FAULTS_BY_NAME = {fault.name: fault for fault in FAULTS}
