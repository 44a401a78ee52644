"""Properties that are judged in simulated runs only."""

from dataclasses import replace

from gridproof_model.events import PROTOCOL_EVENTS
from gridproof_properties.judging.judge import Property, met
from gridproof_properties.simulated import (
    additions,
    copies,
    endings,
    jobs,
    leaving,
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
    sessions,
    sizes,
    steps,
    times,
)

SIMULATED: tuple[Property, ...] = (
    *rest.PROPERTIES,
    *additions.PROPERTIES,
    *queues.PROPERTIES,
    *locks.PROPERTIES,
    *merging.PROPERTIES,
    *locks.HOLDING,
    *sessions.PROPERTIES,
    *sizes.PROPERTIES,
    *jobs.PROPERTIES,
    *safety.PROPERTIES,
)
"""Liveness, and histories of structures that only the simulator uses."""


STEPS = met(*PROTOCOL_EVENTS)
"""The needs of a property of steps that states none of its own."""
STEPPED: tuple[Property, ...] = tuple(
    replace(prop, needs=prop.needs or STEPS)
    for prop in (
        *endings.PROPERTIES,
        *orders.PROPERTIES,
        *steps.PROPERTIES,
        *copies.PROPERTIES,
        *resources.PROPERTIES,
        *origins.PROPERTIES,
        *safety.STEP_PROPERTIES,
        *leaving.PROPERTIES,
        *jobs.STEP_PROPERTIES,
        *mastership.PROPERTIES,
        *outcomes.PROPERTIES,
        *times.PROPERTIES,
        *refusing.PROPERTIES,
    )
)
"""Properties judged over the steps of the protocol, which have to be in the records."""
UNGROUPED: tuple[Property, ...] = (copies.SENT_TO_EVERY_BACKUP,)
"""These are only for grids without partition groups and with one sync backup, as `suite/zoo/changes.py` drives them."""
