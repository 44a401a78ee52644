"""Every update goes to every backup that is there.

Of grids without partition groups, with one sync backup; needs every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import NONE, read_list
from gridproof_model.trace import EventRecord
from gridproof_properties.judge import Property
from gridproof_properties.step_judge import StepJudge, Told

INSTALLED, REMOVED, EXECUTED = "row-installed", "member-removed", "executed"
BACKUP = 1
"""The only backup there is."""


@dataclass(slots=True)
class _SendingJudge(StepJudge):
    backups: dict[tuple[int | None, str], str] = field(default_factory=dict)
    """Who is the first backup, by member and partition, as that member knows."""
    known_gone: set[tuple[int | None, str]] = field(default_factory=set)
    """Members and those they know to be gone."""

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({INSTALLED, REMOVED, EXECUTED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == INSTALLED:
            self.backups[event.member, told["partition"]] = read_list(told["slots"])[BACKUP]
        elif event.name == REMOVED:
            self.known_gone.add((event.member, told["member"]))
        elif told["changed"] == "true":
            self.looked += 1
            backup = self.backups.get((event.member, told["partition"]), NONE)
            is_there = backup != NONE and (event.member, backup) not in self.known_gone
            if is_there and not read_list(told["told"]):
                return f"member {event.member} changes partition {told['partition']} and tells no backup"
        return None


TOLD_EVERY_BACKUP = Property(
    name="told-every-backup",
    sentence="A change is sent to every backup that the primary knows to be there.",
    source="reference replication 2.1; bug-zoo R5",
    start=_SendingJudge,
)
PROPERTIES: tuple[Property, ...] = (TOLD_EVERY_BACKUP,)
