"""Every workload."""

from gridproof_implementation.simulator.workload import Workload, mix
from gridproof_implementation.simulator.workloads import appends, counter, entries, lock, queue, register

SINGLE: tuple[Workload, ...] = (
    register.WORKLOAD,
    counter.WORKLOAD,
    appends.WORKLOAD,
    queue.WORKLOAD,
    lock.WORKLOAD,
    entries.WORKLOAD,
)
WORKLOADS: tuple[Workload, ...] = (*SINGLE, mix("mixed", "clients use every kind of structure", SINGLE))
"""All of them: one kind of structure each, and everything at once."""
WORKLOADS_BY_NAME = {workload.name: workload for workload in WORKLOADS}
