"""Refinement: simulated runs as behaviours of the specifications.

Each specification that is followed has a package of its own here; `docs/refinement.md` says what is compared, what is
inferred, and what the specifications leave out.
"""

from collections.abc import Mapping

from gridproof_model.events import Event
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.calls import judge as calls
from gridproof_properties.refinement.ownership import judge as ownership
from gridproof_properties.refinement.replicas import judge as replicas
from gridproof_properties.refinement.streams import judge as streams
from gridproof_properties.refinement.tables import judge as tables

REFINEMENTS: tuple[Property, ...] = (
    replicas.PROPERTY,
    tables.PROPERTY,
    calls.PROPERTY,
    streams.PROPERTY,
)
"""All of them; each is judged over the records of one run."""
EVENTS_READ: frozenset[type[Event]] = (
    replicas.ReplicasJudge.EVENTS_READ
    | tables.TablesJudge.EVENTS_READ
    | calls.CallsJudge.EVENTS_READ
    | streams.StreamsJudge.EVENTS_READ
)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION: Mapping[str, Property] = {
    "replicas": replicas.PROPERTY,
    "tables": tables.PROPERTY,
    "calls": calls.PROPERTY,
    "streams": streams.PROPERTY,
    "ownership": ownership.PROPERTY,
    "ownership-rows": ownership.OF_ROWS,
}
"""The property that holds a trace against a specification; tables that were looked at against the last two."""
