"""Every workload."""

from dataclasses import replace

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
_MIXED = mix("mixed", "clients use every kind of structure", WORKLOADS)
DRAWN: tuple[Workload, ...] = (*WORKLOADS, _MIXED)
"""And everything at once: what a seed draws one of."""
EVERY_WORKLOAD: tuple[Workload, ...] = (
    *DRAWN,
    replace(_MIXED, name="jobs", sentence="clients use every kind of structure, and a stream job runs", has_job=True),
)
"""And what has to be asked for by its name: a job rides along with some of any seeds' runs."""
WORKLOADS_BY_NAME = {workload.name: workload for workload in EVERY_WORKLOAD}
