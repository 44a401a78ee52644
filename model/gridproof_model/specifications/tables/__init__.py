"""Tables: every member has its own row of a partition, by the list and the master that it has itself.

`ownership` says how a partition's row comes about where one list and one master are known to all, and tables take no
time. Here nobody knows more than it was sent: each member has its own list, its own marks of suspicion, its own master
and its own row, whoever takes itself for the master edits its own row, and what was sent stays under way for ever. So
every record of a run about rows, migrations, promotions and claims is one action of one member, and a recorded run is
validated by this specification step by step.
Read in this order: `state`, `knowing`, `editing`, `spreading`, `migrating`; then `claims`.

What is left out. Partition groups, lite members and members that want to leave: where replicas are put, and which
migrations are ordered, is the placement's business. Lists change in any way: how they reach the members is what
membership is about; how a candidate becomes master is here.
"""

from gridproof_model.specifications.tables import claims, editing, knowing, migrating, spreading
from gridproof_model.specifications.tables.state import specification

__all__ = ["claims", "editing", "knowing", "migrating", "specification", "spreading"]
