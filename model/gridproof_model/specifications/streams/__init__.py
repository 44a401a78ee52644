"""Streams: every member does its part of a stream job by what it was sent itself.

`snapshot` says why a job survives a loss, where a coordinator's stop reaches everybody at once and the keepers of
every chunk are known. Here nobody knows more than it was sent: each coordinator has the record that it has read or
written, each participant the execution that it was made ready for, and one that was given up goes on where nobody has
said so yet. What was written is there for ever: records, and snapshots by the order in which they began. So every
record of a run about a job is one action of one member, or a few in a row, and a recorded run is validated by this
specification step by step.
Read in this order: `state`, `planning`, `running`, `coordinating`, `knowing`; then `claims`.

What is left out. Who keeps the copies of chunks and records is what `replicas` and `tables` are about: what was
written can be read, unless it may be lost (`may_be_lost`). Why an execution is given up is membership's business.
Where an item goes is what its key is about. Members are removed in any way. Time is left out, and with it how soon
a job goes on. A job that is suspended may be planned again at once; commands of users are not in it.

Choice (jobs.17): a participant's handing over of saved state is one step for each, and its sources wait for all. In
members a counter that has counted nothing writes no chunk; in `snapshot` it writes an empty one. Here it may do either.
"""

from gridproof_model.specifications.streams import claims, coordinating, knowing, planning, running
from gridproof_model.specifications.streams.state import Ending, Guarantee, Phase, Write, specification

__all__ = [
    "Ending",
    "Guarantee",
    "Phase",
    "Write",
    "claims",
    "coordinating",
    "knowing",
    "planning",
    "running",
    "specification",
]
