"""Snapshot: a stream job saves its state and survives the loss of a member; each member acts on what it was sent.

Sources emit items to counters; each counter is in charge of one partition. At a barrier they save their state as chunks
into one of two maps; then a record names the map. When a member is lost, the job goes on from the snapshot that the
record names. A member knows only what it was sent: each coordinator has the record that it has read or written, each
participant the execution that it was made ready for, and an execution that was given up goes on at participants that
have not learnt this. Everything written stays for ever: records, and snapshots in the order in which they began. So
every record of a run about a job is one action of one member, or a few in a row: recorded runs are validated by the
same specification that is explored and proved. Read in this order: `state`, `planning`, `running`; then the `claims`.

What is left out: which member keeps which copy of a chunk or a record, as in `replication` and `ownership`. Here a
write has a second copy or lacks one, and a write that lacks one may be lost as soon as any member ends. Also left out
are the reason why an execution is given up, the counter that an item's key leads to, the way in which members are
removed, time (and so how soon a job goes on), and the commands of users. A source emits its items again after a
restart, and commits nothing outside: phase 2 has nothing to do.

Small worlds: executions that were given up, and participants that have not learnt this, make worlds large. With
`at_once` all members learn at once of an end, a start and a stop; an execution that was given up is blank again, its
late writes do not arrive, and no snapshot is terminal. Worlds without `at_once` show what such worlds leave out.

Choice (jobs.12): the processing guarantee belongs to the job, and is chosen at its submission; so one world shows both.
Choice (jobs.17): each participant hands over its saved state in one step, and the sources wait for all participants.
"""

from gridproof_model.specifications.snapshot import claims, planning, running
from gridproof_model.specifications.snapshot.state import Ending, Guarantee, Phase, Write, specification

__all__ = ["Ending", "Guarantee", "Phase", "Write", "claims", "planning", "running", "specification"]
