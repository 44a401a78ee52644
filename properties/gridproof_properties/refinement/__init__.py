"""Refinement: simulated runs, validated as behaviours of the specifications.

Each specification has its own file here; `docs/refinement.md` says what is compared, what is inferred, and what is left
out.
"""

from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.refinement import invocation, ownership, polled, replication, snapshot

REFINEMENTS: tuple[Property, ...] = (replication.PROPERTY, ownership.PROPERTY, invocation.PROPERTY, snapshot.PROPERTY)
"""All refinement properties; each is judged by the records of one run."""
EVENTS_READ = watched_by(REFINEMENTS)
"""The protocol events that have to be in the records."""
OF_SPECIFICATION = {one.name.removeprefix("refines-"): one for one in (*REFINEMENTS, polled.OF_ROWS_ALONE)}
"""For each specification, the property that compares a trace with it."""
WITHOUT_STEPS: dict[str, Property] = {"ownership": polled.PROPERTY}
"""For each specification, the property that compares it with a trace without protocol events, by the tables seen."""
