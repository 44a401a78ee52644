"""Refinement: simulated runs as behaviours of the specifications.

Each specification has a file of its own here; `docs/refinement.md` says what is compared, inferred, and left out.
"""

from collections.abc import Mapping

from gridproof_model.events import Event
from gridproof_properties.judging.judge import Property
from gridproof_properties.polled import judge as polled
from gridproof_properties.refinement import invocation, replicas, snapshot, tables

REFINEMENTS: tuple[Property, ...] = (replicas.PROPERTY, tables.PROPERTY, invocation.PROPERTY, snapshot.PROPERTY)
"""All of them; each is judged over the records of one run."""
EVENTS_READ: frozenset[type[Event]] = (
    replicas.ReplicasJudge.EVENTS_READ
    | tables.TablesJudge.EVENTS_READ
    | invocation.CallsJudge.EVENTS_READ
    | snapshot.SnapshotJudge.EVENTS_READ
)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION: Mapping[str, Property] = {
    "replicas": replicas.PROPERTY,
    "tables": tables.PROPERTY,
    "invocation": invocation.PROPERTY,
    "snapshot": snapshot.PROPERTY,
    "ownership": polled.PROPERTY,
    "ownership-rows": polled.OF_ROWS,
}
"""The property that holds a trace against a specification; tables that were polled against the last two."""
