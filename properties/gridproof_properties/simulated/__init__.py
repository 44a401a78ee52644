"""Properties that only simulated runs are held to."""

from dataclasses import replace

from gridproof_model.events import PROTOCOL_EVENTS
from gridproof_properties.judging.judge import Property, met
from gridproof_properties.simulated import (
    acknowledgements,
    appends,
    blaming,
    copies,
    counters,
    endings,
    failing,
    founding,
    free_locks,
    holds,
    jobs,
    leaving,
    limits,
    locks,
    mastership,
    merging,
    orders,
    origins,
    outcomes,
    queues,
    refusing,
    resources,
    rest,
    safety,
    sending,
    sessions,
    sides,
    sizes,
    snapshots,
    spreading,
    steps,
    stillness,
    times,
)

SIMULATED: tuple[Property, ...] = (
    *failing.PROPERTIES,
    *rest.PROPERTIES,
    *stillness.PROPERTIES,
    *appends.PROPERTIES,
    *counters.PROPERTIES,
    *queues.PROPERTIES,
    *locks.PROPERTIES,
    *free_locks.PROPERTIES,
    *merging.PROPERTIES,
    *holds.PROPERTIES,
    *sessions.PROPERTIES,
    *sizes.PROPERTIES,
    *jobs.PROPERTIES,
    *safety.PROPERTIES,
)
"""Liveness, and histories of structures that only the simulator uses."""


STEPS = met(*PROTOCOL_EVENTS)
"""What a property of steps needs, unless it says so itself."""
STEPPED: tuple[Property, ...] = tuple(
    replace(prop, needs=prop.needs or STEPS)
    for prop in (
        *endings.PROPERTIES,
        *orders.PROPERTIES,
        *steps.PROPERTIES,
        *copies.PROPERTIES,
        *acknowledgements.PROPERTIES,
        *resources.PROPERTIES,
        *founding.PROPERTIES,
        *origins.PROPERTIES,
        *safety.STEP_PROPERTIES,
        *leaving.PROPERTIES,
        *blaming.PROPERTIES,
        *snapshots.PROPERTIES,
        *mastership.PROPERTIES,
        *spreading.PROPERTIES,
        *sides.PROPERTIES,
        *outcomes.PROPERTIES,
        *times.PROPERTIES,
        *refusing.PROPERTIES,
        *limits.PROPERTIES,
    )
)
"""Judged over the steps of the protocol, which have to be in the records."""
UNGROUPED: tuple[Property, ...] = (*sending.PROPERTIES,)
"""Only for grids without partition groups and with one sync backup, as `suite/zoo/changes.py` drives them."""
