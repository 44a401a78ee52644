"""Refinement: simulated runs as behaviours of the specifications.

Each specification has a file of its own here; `docs/refinement.md` says what is compared, inferred, and left out.
"""

from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.refinement import invocation, ownership, polled, replication, snapshot

REFINEMENTS: tuple[Property, ...] = (replication.PROPERTY, ownership.PROPERTY, invocation.PROPERTY, snapshot.PROPERTY)
"""All of them; each is judged over the records of one run."""
EVENTS_READ = watched_by(REFINEMENTS)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION = {one.name.removeprefix("refines-"): one for one in (*REFINEMENTS, polled.OF_ROWS_ALONE)}
"""The property that holds a trace against a specification."""
WITHOUT_STEPS: dict[str, Property] = {"ownership": polled.PROPERTY}
"""By specification: the property that holds a trace without steps against it, by the tables that were looked at."""
