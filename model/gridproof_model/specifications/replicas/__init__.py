"""Replicas: every member keeps its own replica, by the row and the list that it has itself.

`replication` says what copies of a partition come to when all members know of a change of the row at once. Here nobody
knows more than it was sent: each member has a row and a list of its own, what it was sent waits in its mail, and it
judges, asks, answers and is promoted by what it has. So every record of a run that concerns a replica is one action of
one member, and a recorded run is validated by this specification step by step.
Read in this order: `state`, `knowing`, `updating`, `syncing`, `moving`; then `claims`.

What is left out. There is one structure, so one version vector, and its content is not looked at. Rows and lists change
in any way: how tables come about is what `ownership` is about. Nothing is lost: what nobody takes stays in the mail,
and mail is taken in any order.
"""

from gridproof_model.specifications.replicas import claims, knowing, moving, syncing, updating
from gridproof_model.specifications.replicas.state import specification

__all__ = ["claims", "knowing", "moving", "specification", "syncing", "updating"]
