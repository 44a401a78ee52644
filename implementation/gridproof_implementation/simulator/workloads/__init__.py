"""Every workload."""

from dataclasses import replace
from functools import cache

from gridproof_implementation.simulator.workload import Workload, mix
from gridproof_implementation.simulator.workloads import (
    appends,
    cells,
    counter,
    entries,
    lock,
    queue,
    register,
    safety,
    sets,
)

WORKLOADS: tuple[Workload, ...] = (
    register.WORKLOAD,
    counter.WORKLOAD,
    appends.WORKLOAD,
    queue.WORKLOAD,
    lock.WORKLOAD,
    entries.WORKLOAD,
    cells.WORKLOAD,
    sets.WORKLOAD,
    safety.WORKLOAD,
)
"""The single workloads, each of which uses one kind of structure, or asks one kind of question."""
_MIXED = mix("mixed", "clients use every kind of structure", WORKLOADS)
EVERY_WORKLOAD: tuple[Workload, ...] = (
    *WORKLOADS,
    _MIXED,
    replace(_MIXED, name="jobs", sentence="clients use every kind of structure, and a stream job runs", has_job=True),
)
"""The single workloads and their mixes; with each of these workloads, a stream job runs in some runs."""
WORKLOADS_BY_NAME = {workload.name: workload for workload in EVERY_WORKLOAD}
TOGETHER = "+"
"""The sign between the names of workloads that clients use at the same time."""


@cache
def find_workload(name: str) -> Workload | None:
    """Return the workload with a name, which may join several as in `register+lock`; None if there is none."""
    if name in WORKLOADS_BY_NAME:
        return WORKLOADS_BY_NAME[name]
    single = {workload.name: workload for workload in WORKLOADS}
    names = name.split(TOGETHER)
    if len(names) != len(dict.fromkeys(names)) or any(part not in single for part in names):
        return None
    return mix(name, f"clients do {len(names)} things", [single[part] for part in names])


def get_workload(name: str) -> Workload:
    """Return the workload with a name; raise ValueError if there is none."""
    workload = find_workload(name)
    if workload is None:
        raise ValueError(f"no workload is called {name!r}")
    return workload
