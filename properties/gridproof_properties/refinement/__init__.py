"""Refinement: simulated runs as behaviours of the specifications.

Each specification has its own file here; `docs/refinement.md` says what is compared, inferred, and left out.
"""

from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.refinement import invocation, ownership, polled, replication, snapshot

REFINEMENTS: tuple[Property, ...] = (replication.PROPERTY, ownership.PROPERTY, invocation.PROPERTY, snapshot.PROPERTY)
"""All refinement properties; each is judged over the records of one run."""
EVENTS_READ = watched_by(REFINEMENTS)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION = {one.name.removeprefix("refines-"): one for one in (*REFINEMENTS, polled.OF_ROWS_ALONE)}
"""By specification, the property that compares a trace with it."""
WITHOUT_STEPS: dict[str, Property] = {"ownership": polled.PROPERTY}
"""By specification, the property that compares a trace without steps with it, by the tables that were looked at."""
