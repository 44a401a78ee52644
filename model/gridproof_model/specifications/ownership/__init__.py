"""Ownership: which member holds which replica of a partition, by each member's own list, master and row.

A member knows only what it was sent: each has its own list, its own suspicions, its own master and its own row; a
member that considers itself the master edits its own row; and a message that was sent stays under way for ever. So
every record of a run about rows, migrations, promotions and claims is one action of one member, and a recorded run can
be validated by this specification step by step. The same specification is explored and proved.
Read in this order: `state`, `knowing`, `editing`, `spreading`, `migrating`; then `claims`, `anomalies`.

History variables are read by claims only, never by a guard: who holds the data, whether it was lost, whether a member
was put beside another one of its group, whether a row changed as no placement plans it (`unplanned`), whether a master
acted on a row that it had not collected (`unfetched`), and whether a live member was treated as gone (`split`).
When runs are validated, lists change, rows are filled and migrations are ordered in any way (`any_way`): membership and
placement decide how. In small worlds a master sends whole lists, the row is arranged from the start, and masters order
the migrations that a placement wants.
The specification leaves out time, other partitions, and a member that restarts at its address, except for the slots
that it is given back.
"""

from gridproof_model.specifications.ownership import anomalies, claims, editing, knowing, migrating, spreading
from gridproof_model.specifications.ownership.state import specification

__all__ = ["anomalies", "claims", "editing", "knowing", "migrating", "specification", "spreading"]
