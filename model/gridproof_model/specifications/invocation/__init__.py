"""Invocation: one call, its attempts and its outcome, by what each member knows itself.

A caller sends an operation to the owner of a partition; the owner executes it and sends the change to the backups; the
response and the acknowledgements come back separately. Every member acts by its own row and list. A message that was
sent stays under way for ever: it comes late, twice, to the next member on its address, or never. So every record of a
run about a call is one action of one member, and runs are validated by this specification step by step. Read in this
order: `state`, `calling`, `targets`; then the `claims`.

Claims read history variables, which no guard reads: a run is validated as if there were none. Constants switch kinds of
events off, so that worlds stay small; runs are validated with the defaults.

What is left out: time, so that a timeout may pass at any moment; how rows and lists change, which `ownership`
specifies; and versions, by which a backup drops updates that it has already, which `replication` specifies. Whether
there is a connection, whether the cluster state or a quorum forbids an operation, and what an operation finds in its
structure, is not determined: each may happen.

Choice (strict.1): the mode of a call, and whether it is a read, is chosen when the call begins, for each call
(strict.4); so one world shows all three kinds.
"""

from gridproof_model.specifications.invocation import calling, claims, targets
from gridproof_model.specifications.invocation.state import specification

__all__ = ["calling", "claims", "specification", "targets"]
