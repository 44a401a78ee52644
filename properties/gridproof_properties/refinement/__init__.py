"""Refinement: simulated runs as behaviours of the specifications.

Each specification that runs are validated by has a package of its own here; `docs/refinement.md` says what is
compared, what is inferred, and what the specifications leave out.
"""

from collections.abc import Mapping

from gridproof_model.events import Event
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.calls.judge import PROPERTY as CALLS
from gridproof_properties.refinement.calls.judge import CallsJudge
from gridproof_properties.refinement.ownership.judge import OF_ROWS
from gridproof_properties.refinement.ownership.judge import PROPERTY as OWNERSHIP
from gridproof_properties.refinement.replicas.judge import PROPERTY as REPLICAS
from gridproof_properties.refinement.replicas.judge import ReplicasJudge
from gridproof_properties.refinement.streams.judge import PROPERTY as STREAMS
from gridproof_properties.refinement.streams.judge import StreamsJudge
from gridproof_properties.refinement.tables.judge import PROPERTY as TABLES
from gridproof_properties.refinement.tables.judge import TablesJudge

REFINEMENTS: tuple[Property, ...] = (REPLICAS, TABLES, CALLS, STREAMS)
"""All of them; each is judged over the records of one run."""
EVENTS_READ: frozenset[type[Event]] = (
    ReplicasJudge.EVENTS_READ | TablesJudge.EVENTS_READ | CallsJudge.EVENTS_READ | StreamsJudge.EVENTS_READ
)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION: Mapping[str, Property] = {
    "replicas": REPLICAS,
    "tables": TABLES,
    "calls": CALLS,
    "streams": STREAMS,
    "ownership": OWNERSHIP,
    "ownership-rows": OF_ROWS,
}
"""The property that holds a trace against a specification; tables that were looked at against the last two."""
