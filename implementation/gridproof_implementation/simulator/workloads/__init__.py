"""Every workload."""

from gridproof_implementation.simulator.workload import Workload, mix
from gridproof_implementation.simulator.workloads import appends, counter, entries, lock, queue, register

WORKLOADS: tuple[Workload, ...] = (
    register.WORKLOAD,
    counter.WORKLOAD,
    appends.WORKLOAD,
    queue.WORKLOAD,
    lock.WORKLOAD,
    entries.WORKLOAD,
)
"""One kind of structure each."""
EVERY_WORKLOAD: tuple[Workload, ...] = (*WORKLOADS, mix("mixed", "clients use every kind of structure", WORKLOADS))
"""And everything at once."""
WORKLOADS_BY_NAME = {workload.name: workload for workload in EVERY_WORKLOAD}
