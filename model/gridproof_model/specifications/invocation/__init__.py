"""Invocation: one call, its attempts, and what they come to, by what each member knows itself.

A caller sends an operation to the owner of a partition; the owner executes it and sends the backups the change;
response and acknowledgements come back on ways of their own. Every member acts on the row and the list that it has.
What was sent stays under way for ever: it comes late, twice, to whoever sits on its address by then, or never. So every
record of a run about a call is one action of one member, and runs are validated by this specification step by step.
Read in this order: `state`, `calling`, `targets`; then the `claims`.

Claims speak of history variables, which no guard reads: a run is validated as if there were none. Constants switch
kinds of events off, so that worlds stay small; as they are by default runs are validated.

What is left out. Time: what may happen at some time may happen at any. Rows and lists change in any way: how they come
about is what `ownership` is about. Versions, by which a backup drops what it has already, are what `replication` is
about. Whether a connection stands, whether the cluster's state or a quorum forbids an operation, and what an operation
finds in its structure is anybody's choice.

Choice (strict.1): in which mode it is called, and whether it is a read, is said when the call begins, as per call
(strict.4); so one world shows all three kinds.
"""

from gridproof_model.specifications.invocation import calling, claims, targets
from gridproof_model.specifications.invocation.state import specification

__all__ = ["calling", "claims", "specification", "targets"]
