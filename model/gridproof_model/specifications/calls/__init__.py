"""Calls: what caller, target and backups of one call know, each by the row and the list that it has itself.

`invocation` says what a call comes to where one row and one list are known to all but the caller, and one message of a
kind is under way. Here every member has its own row and list, what was sent stays under way for ever, and it may come
late, twice, to whoever sits on its address by then, or never. So every record of a run about a call is one action of
one member, and a recorded run is validated by this specification step by step.
Read in this order: `state`, `knowing`, `calling`, `answers`, `targets`, `backups`; then `claims`.

What is left out. Time: what may happen at some time may happen at any. Rows and lists change in any way: how they come
about is what `tables` is about. Versions, by which a backup drops what it has already, are what `replicas` is about.
Whether a connection stands, whether the cluster's state or a quorum forbids an operation, and what an operation finds
in its structure is anybody's choice.
"""

from gridproof_model.specifications.calls import answers, backups, calling, claims, knowing, targets
from gridproof_model.specifications.calls.state import specification

__all__ = ["answers", "backups", "calling", "claims", "knowing", "specification", "targets"]
