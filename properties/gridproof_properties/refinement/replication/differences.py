"""What runs do that the specification of replication leaves out.

Each is counted when it is met. Where the state of the specification has to be brought to where the run is, the reason
says how; where nothing more can be said, following ends there.
"""

from gridproof_properties.refinement.behaviour import Difference

PRIMARY_MOVES = Difference(
    "primary moves",
    "A migration makes another member the primary; the specification knows a primary by its slot, so nothing changes, "
    "and what the new one was given has to be what the old one had.",
)
MEMBERS_COME_AND_GO = Difference(
    "members without a slot come and go",
    "The specification has a fixed number of spares; the number is set to what the primary's member list says.",
)
OLDER_TABLE = Difference(
    "a backup acts on an older table",
    "The specification has all members know of a change of the row at once; the backup is looked at again when it "
    "next tells its version.",
)
LATE_REMOVAL = Difference(
    "a backup still lists the dead primary",
    "The specification removes a member from all lists at once, and what it had sent with it; the backup is looked at "
    "again.",
)
LAST_WORDS = Difference(
    "a primary dies while it sends an update",
    "The specification executes and sends in one step; here the event of the execution died with the primary, and the "
    "backup is looked at again.",
)
BACKUP_DISMISSED = Difference(
    "a live backup gives its slot up",
    "The specification takes slots from the dead only, or for another slot; the slot becomes empty.",
)
SECOND_CHECK = Difference(
    "a second check under way",
    "The specification has one check at a time on a link; the second one is compared as the first would be.",
)
LATE_COMMIT = Difference(
    "a migration commits after its primary died",
    "The specification copies and commits in one step; the destination had everything before the primary died, and "
    "gets its slot.",
)
UNDONE = Difference(
    "a migration is undone",
    "The specification copies and commits in one step; the destination died before anybody else knew that it had "
    "committed, and the source, which keeps until then what it gave, has its slot again.",
)
RETURNED = Difference(
    "a slot is given back to a member that started anew",
    "The specification fills a slot with a copy only; the member has its slot again, and nothing in it.",
)
FORGOTTEN = Difference(
    "a backup drops what its primary has not",
    "The specification has a namespace from the beginning on; a backup whose primary names none has nothing of it.",
)
LATE_REQUEST = Difference(
    "a request outlives its registration",
    "In the specification a registration lasts longer than anything is under way; the answer that nobody waits for is "
    "passed over.",
)
NEW_INCARNATION = Difference(
    "an update reaches the next incarnation",
    "In the specification what is sent to the dead is lost; here it reaches who has started anew on the address, and "
    "is in what was copied there. Nothing changes.",
)
STRANGER_ASKS = Difference(
    "somebody without a slot asks for a sync",
    "Its table is older than the primary's; the specification has no message for it.",
)
ANOTHER_CLUSTER = Difference(
    "everybody died, and somebody founds another cluster",
    "The specification ends where nobody is left; what is written from then on begins new behaviours.",
)
UNHEARD = Difference(
    "a member is promoted by a table that its slot was taken away in",
    "The specification has one table; here all who had the newest one are dead, and whoever had a slot in the one "
    "before is promoted with what it has. Following ends.",
)
TWO_CLUSTERS = Difference(
    "a live member was taken for dead",
    "The specification has one cluster, and only the dead are removed; following ends.",
)

DIFFERENCES = (
    PRIMARY_MOVES,
    MEMBERS_COME_AND_GO,
    OLDER_TABLE,
    LATE_REMOVAL,
    LAST_WORDS,
    BACKUP_DISMISSED,
    SECOND_CHECK,
    LATE_COMMIT,
    UNDONE,
    RETURNED,
    FORGOTTEN,
    LATE_REQUEST,
    NEW_INCARNATION,
    STRANGER_ASKS,
    ANOTHER_CLUSTER,
    UNHEARD,
    TWO_CLUSTERS,
)
