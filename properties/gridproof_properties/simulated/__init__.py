"""Properties that only simulated runs are held to."""

from gridproof_properties.judge import Property
from gridproof_properties.simulated import appends, counters, locks, queues, rest, sessions

SIMULATED: tuple[Property, ...] = (
    *rest.PROPERTIES,
    *appends.PROPERTIES,
    *counters.PROPERTIES,
    *queues.PROPERTIES,
    *locks.PROPERTIES,
    *sessions.PROPERTIES,
)
"""Liveness, and histories of structures that only the simulator uses."""
