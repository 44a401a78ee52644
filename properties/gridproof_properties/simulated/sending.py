"""Every update goes to every backup that is there.

Of grids without partition groups, with one sync backup; needs every step in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge

Sending = RowInstalled | MemberRemoved | Executed
BACKUP = 1
"""The only backup there is."""


@dataclass(slots=True)
class _SendingJudge(StepJudge[Sending]):
    COUNTED = "{failed} of {compared:change} went to no backup"
    UNSEEN = "no change was executed"
    backups: dict[tuple[int | None, int], int | None] = field(default_factory=dict)
    """Who is the first backup, by member and partition, as that member knows."""
    known_gone: set[tuple[int | None, int]] = field(default_factory=set)
    """Members and those they know to be gone."""

    def look(self, record: EventRecord, event: Sending) -> str | None:
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.backups[record.member, partition] = slots[BACKUP]
            case MemberRemoved(member=gone):
                self.known_gone.add((record.member, gone))
            case Executed(partition=partition, changed=changed, sent_to=sent_to):
                self.looked += changed
                backup = self.backups.get((record.member, partition))
                is_there = backup is not None and (record.member, backup) not in self.known_gone
                if changed and is_there and not sent_to:
                    return (
                        f"member {record.member} changed partition {partition} and sent the backup that it knew nothing"
                    )
            case _:
                assert_never(event)
        return None


SENT_TO_EVERY_BACKUP = Property(
    name="sent-to-every-backup",
    sentence="A change is sent to every backup that the primary knows to be there.",
    source="backups.4; invariant R5",
    severity=Severity.REDUNDANCY,
    start=_SendingJudge,
)
PROPERTIES: tuple[Property, ...] = (SENT_TO_EVERY_BACKUP,)
