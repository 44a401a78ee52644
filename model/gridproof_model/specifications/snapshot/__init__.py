"""Snapshot: a stream job saves its state and survives the loss of a member; each member acts on what was sent to it.

Sources emit items to counters; each counter counts for one partition. At a barrier, sources and counters save their
state as chunks into one of two maps; then a record names the map. When a member is lost, the job restarts from the
snapshot that the record names. A member knows only what was sent to it: a coordinator has the record that it has read
or written, a participant has the execution for which it was made ready, and an execution that was given up goes on at
participants that have not learnt of it. All that was written stays for ever: records, and snapshots in the order in
which they began. So each record about a job in a run corresponds to one action of one member, or to a few successive
ones: recorded runs are validated by the same specification that is explored and proved. Read the modules in this order:
`state`, `planning`, `running`; then the `claims`.

What is left out: which member has which copy of a chunk or a record (`replication` and `ownership` specify that). In
this specification a write either has a second copy or lacks it; a write that lacks it may be lost as soon as any member
ends. The specification also leaves out why an execution is given up, to which counter an item's key belongs, how
members are removed, time (and so how soon a job goes on), and the commands of users. A source emits its items again
after a restart, and commits nothing outside the job, so phase 2 has nothing to do.

What makes worlds large are executions that were given up, and participants that have not learnt of it. With `at_once`,
which keeps worlds small, all members learn at once of an end, a start and a stop; an execution that was given up is
blank again, its late writes do not arrive, and no snapshot is terminal. Worlds without `at_once` show the behaviours
that `at_once` leaves out.

Choice (jobs.12): the processing guarantee belongs to the job, and is chosen when the job is submitted; so one world
shows both guarantees. Choice (jobs.17): each participant hands over its saved state in one step, and the sources wait
for all participants.
"""

from gridproof_model.specifications.snapshot import claims, planning, running
from gridproof_model.specifications.snapshot.state import Ending, Guarantee, Phase, Write, specification

__all__ = ["Ending", "Guarantee", "Phase", "Write", "claims", "planning", "running", "specification"]
