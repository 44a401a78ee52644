"""Invocation: one call, its attempts and its outcome, as each member sees them.

A caller sends an operation to the owner of a partition; the owner executes it and sends the change to the backups; the
response and the acknowledgements come back separately. Every member acts on its own row and its own member list. A
message that was sent stays under way for ever: it may arrive late, twice, at the next member at its receiver's address,
or never. So each record about a call in a run corresponds to one action of one member, and this specification can
validate runs step by step. Read the modules in this order: `state`, `calling`, `targets`; then the `claims`.

History variables are read by claims, but by no guard: validation of a run gives the same result with and without them.
Constants can switch off some kinds of events, to keep worlds small; runs are validated with the defaults.

What is left out: time (a timeout may pass at any moment); how rows and lists change, which `ownership` specifies; and
versions, by which a backup drops updates that it already has, which `replication` specifies. Some questions are left
open, and every answer to them is allowed: whether there is a connection, whether the cluster state or a quorum forbids
an operation, and what an operation finds in its structure.

Choice (strict.1): a call chooses its mode, and whether it is a read, when it begins (strict.4), so that one world shows
all three kinds of calls.
"""

from gridproof_model.specifications.invocation import calling, claims, targets
from gridproof_model.specifications.invocation.state import specification

__all__ = ["calling", "claims", "specification", "targets"]
