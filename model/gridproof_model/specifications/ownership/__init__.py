"""Ownership: which member has which replica of a partition; each member has its own list, master and row.

A member knows only what was sent to it. Each member has its own list, its own suspicions, its own master and its own
row; a member that considers itself the master edits its own row; a message that was sent stays under way for ever. So
each record about rows, migrations, promotions and mastership claims corresponds to one action of one member, and this
specification can validate a recorded run step by step. This specification is also explored and proved. Read the modules
in this order: `state`, `knowing`, `editing`, `spreading`, `migrating`; then `claims`, `anomalies`.

History variables are read by claims, but by no guard. History variables say who has the data, whether it was lost,
whether two members of one group were put into the row, whether a row was changed in a way that no placement plans
(`unplanned`), whether a master acted on a row that it had not collected (`unfetched`), and whether a live member was
treated as gone (`split`). When runs are validated (`any_way`), lists may change, rows may be filled and migrations may
be ordered in any way, since other rules decide this: those of membership and placement. In small worlds a master sends
whole lists, the row is arranged from the start, and a master orders only migrations that the placement calls for. The
specification leaves out time, other partitions, and what else happens when a member restarts at its address than that
it gets its slots back.
"""

from gridproof_model.specifications.ownership import anomalies, claims, editing, knowing, migrating, spreading
from gridproof_model.specifications.ownership.state import specification

__all__ = ["anomalies", "claims", "editing", "knowing", "migrating", "specification", "spreading"]
