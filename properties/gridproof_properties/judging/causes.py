"""The causes, by name, that can suspend a promise.

`conditions.py` finds in the records of a run which of these causes affected a partition, and when.
"""

from enum import Flag, auto


class Cause(Flag):
    """A cause that can suspend a promise for a partition, while it lasts."""

    NONE = 0
    COPY_ENDED = auto()
    """A member that held a copy ended without handing the copy over."""
    PRIMARY_ENDED = auto()
    """A member that held the primary ended without handing the primary over."""
    LEAVER_COUNTED = auto()
    """A member learned that another had ended; for the calls under way at that moment this counts as an
    acknowledgement."""
    MERGED = auto()
    """A member that held a copy ended in order to start anew in another cluster."""
    MOVED = auto()
    """The holders of the partition changed."""
    ARRANGED_LATE = auto()
    """The partition was arranged for the first time while clients were at work (defect HZ-19)."""
    MESSAGE_LOST = auto()
    """A message about the partition got lost."""
    MESSAGE_LATE = auto()
    """A message about the partition took longer than its receiver waits for such a message."""
    MESSAGE_FOR_ANOTHER = auto()
    """A message about the partition reached another incarnation at the address, which no connection does (table.3)."""
    MESSAGE_REPEATED = auto()
    """A message about the partition arrived twice, which no connection of Hazelcast's does."""
    DESTROYED = auto()
    """A client destroyed a structure of the partition: each member forgets it by itself, in no fixed order with other
    operations (sync.1)."""
    UPDATE_SPOILT = auto()
    """An update of the partition failed on a backup that applied it."""
    CONNECTION_BROKEN = auto()
    """A connection between two members broke, so calls were sent again."""
    REMOVED_ALIVE = auto()
    """A living member was removed from a list, or a second cluster was founded: one cluster became two."""
    TABLE_ENDED = auto()
    """All members of the latest rest have ended: those that joined since may have no table, and arrange a new one."""
    FROZEN = auto()
    """The cluster state forbade promotions or migrations (members.26)."""
    HELD_UP = auto()
    """Members or links were so slow, or clocks so wrong, that operations that would have succeeded may time out."""


WORDS = {
    Cause.COPY_ENDED: "a member that held a copy ended",
    Cause.PRIMARY_ENDED: "the member that held the primary ended",
    Cause.LEAVER_COUNTED: "a member's end was counted as an acknowledgement",
    Cause.MERGED: "a member that held a copy left its cluster for another",
    Cause.MOVED: "the partition moved",
    Cause.ARRANGED_LATE: "the partition was arranged while clients were at work",
    Cause.MESSAGE_LOST: "a message about the partition got lost",
    Cause.MESSAGE_LATE: "a message about the partition came very late",
    Cause.MESSAGE_FOR_ANOTHER: "a message about the partition reached another incarnation",
    Cause.MESSAGE_REPEATED: "a message about the partition arrived twice",
    Cause.DESTROYED: "a structure of the partition was destroyed",
    Cause.UPDATE_SPOILT: "a backup failed to apply an update",
    Cause.CONNECTION_BROKEN: "a connection between members broke",
    Cause.REMOVED_ALIVE: "a living member was removed from the cluster",
    Cause.TABLE_ENDED: "all members that had the table ended",
    Cause.FROZEN: "the cluster state was not active",
    Cause.HELD_UP: "members or links were too slow, or clocks were wrong",
}
"""Each cause, worded as a clause."""

ANY_CAUSE = ~Cause.NONE
"""Any cause that can keep an update from a backup, or the backup's acknowledgement from the caller."""


def in_words(causes: Cause) -> list[str]:
    """Return each of the given causes as a clause."""
    return [words for cause, words in WORDS.items() if cause in causes]
