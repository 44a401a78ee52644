"""Snapshot: a job saves its state and survives a loss; every member does its part by what it was sent itself.

Sources emit items to counters, each counter in charge of one partition. At a barrier they save their state as chunks
into one of two maps; then a record names the map. When a member is lost, the job goes on from the snapshot that is
named. Nobody knows more than it was sent: each coordinator has the record that it has read or written, each
participant the execution that it was made ready for, and one that was given up goes on where nobody has said so yet.
What was written is there for ever: records, and snapshots by the order in which they began. So every record of a run
about a job is one action of one member, or a few in a row: recorded runs are validated by what is explored and proved.
Read in this order: `state`, `planning`, `running`; then the `claims`.

What is left out. Who keeps which copy of a chunk or a record is what `replicas` and `ownership` are about. Here a write
has a second copy or lacks one, and what lacks one may be lost as soon as somebody ends, whoever it is. Why an execution
is given up is membership's business. Where an item goes is what its key is about. Members are removed in any way. Time
is left out, and with it how soon a job goes on. Commands of users are not in it. A source emits its items again after a
restart, and commits nothing outside: phase 2 has nothing to do.

Small worlds. Executions that were given up, and participants that have not heard of it, are what makes worlds large.
With `at_once` all learn at once of an end, a start and a stop; what was given up is blank again, its late writes do not
come, and no snapshot is terminal. Worlds without it show what that leaves out.

Choice (jobs.12): the processing guarantee is the job's, said at submission; so one world shows both.
Choice (jobs.17): a participant's handing over of saved state is one step for each, and its sources wait for all.
"""

from gridproof_model.specifications.snapshot import claims, planning, running
from gridproof_model.specifications.snapshot.state import Ending, Guarantee, Phase, Write, specification

__all__ = ["Ending", "Guarantee", "Phase", "Write", "claims", "planning", "running", "specification"]
