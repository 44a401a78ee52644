"""Properties that only simulated runs are held to."""

from gridproof_model.events import Event
from gridproof_properties.judging.judge import Property
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
    locks,
    mastership,
    merging,
    orders,
    origins,
    outcomes,
    queues,
    resources,
    rest,
    safety,
    sending,
    sessions,
    snapshots,
    spreading,
    steps,
    stillness,
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
    *jobs.PROPERTIES,
    *safety.PROPERTIES,
)
"""Liveness, and histories of structures that only the simulator uses."""

STEPPED: tuple[Property, ...] = (
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
    *outcomes.PROPERTIES,
)
"""Judged over the steps of the protocol, of which those in `STEPS_WATCHED` have to be in the records."""
UNGROUPED: tuple[Property, ...] = (*sending.PROPERTIES,)
"""Only for grids without partition groups and with one sync backup, as `suite/zoo/changes.py` drives them."""
STEPS_WATCHED: frozenset[type[Event]] = (
    endings.WATCHED
    | orders.WATCHED
    | steps.WATCHED
    | copies.WATCHED
    | acknowledgements.WATCHED
    | resources.WATCHED
    | founding.WATCHED
    | origins.WATCHED
    | safety.WATCHED
    | leaving.WATCHED
    | blaming.WATCHED
    | snapshots.WATCHED
    | mastership.WATCHED
    | spreading.WATCHED
    | outcomes.WATCHED
)
