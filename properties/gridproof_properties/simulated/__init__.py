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
"""Properties of liveness, and of the histories of structures that only the simulator uses."""


STEPS = met(*PROTOCOL_EVENTS)
"""What properties about steps need from a run, if they do not state any needs themselves."""
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
"""Properties that are judged from the steps of the protocol, which the records have to contain."""
UNGROUPED: tuple[Property, ...] = (copies.SENT_TO_EVERY_BACKUP,)
"""Properties only of grids without partition groups and with one sync backup, as in `suite/zoo/changes.py`."""
