"""Ownership: who holds which replica of a partition, by the list, the master and the row that every member has itself.

Nobody knows more than it was sent: each member has its own list, its own marks of suspicion, its own master and its own
row, whoever takes itself for the master edits its own row, and what was sent stays under way for ever. So every record
of a run about rows, migrations, promotions and claims is one action of one member, and a recorded run is validated by
this specification step by step; and it is what is explored and proved.
Read in this order: `state`, `knowing`, `editing`, `spreading`, `migrating`; then `claims`, `anomalies`.

What only claims speak of is history, which no guard reads: who holds the data, whether it was lost, whether somebody
was put beside one of its own group, whether a row changed as no placement plans it (`unplanned`), whether a master
acted on a row that it had not collected (`unfetched`), and whether somebody that runs was taken for gone (`split`).
Where runs are validated lists change, rows are filled and migrations are ordered in any way (`any_way`): how is the
business of membership and of placement. In small worlds lists come from masters as a whole, the row is arranged to
begin with, and masters order what a placement wants.
What is left out: time, other partitions, and a member that comes back to its address, but for the slots it is given.
"""

from gridproof_model.specifications.ownership import anomalies, claims, editing, knowing, migrating, spreading
from gridproof_model.specifications.ownership.state import specification

__all__ = ["anomalies", "claims", "editing", "knowing", "migrating", "specification", "spreading"]
