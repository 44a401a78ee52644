"""Every update goes to every backup that is there.

Of grids without partition groups, with one sync backup; needs every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import NONE, read_details, read_list
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

BACKUP = 1
"""The only backup there is."""


@dataclass(slots=True)
class _SendingJudge:
    backups: dict[tuple[int | None, str], str] = field(default_factory=dict)
    """Who is the first backup, by member and partition, as that member knows."""
    gone: set[tuple[int | None, str]] = field(default_factory=set)
    """Members and those they know to be gone."""
    seen: int = 0
    first: str | None = None

    def observe(self, record: Record) -> None:
        if not isinstance(record, EventRecord):
            return
        told = read_details(record.detail) if record.name in ("row-installed", "member-removed", "executed") else {}
        match record.name:
            case "row-installed":
                self.backups[record.member, told["partition"]] = read_list(told["slots"])[BACKUP]
            case "member-removed":
                self.gone.add((record.member, told["member"]))
            case "executed" if told["changed"] == "true":
                self._look(record, told["partition"], read_list(told["told"]))
            case _:
                pass

    def _look(self, event: EventRecord, partition: str, told: tuple[str, ...]) -> None:
        self.seen += 1
        backup = self.backups.get((event.member, partition), NONE)
        is_there = backup != NONE and (event.member, backup) not in self.gone
        if is_there and not told and self.first is None:
            self.first = f"at {event.at_ms} ms member {event.member} changes partition {partition} and tells no backup"

    def conclude(self) -> Finding:
        if self.first is not None:
            return Finding(Result.BROKEN, self.first, (self.first,))
        if not self.seen:
            return Finding(Result.UNKNOWN, "nothing was changed")
        return Finding(Result.HOLDS, f"{count(self.seen, 'change')} sent to the backup that was there")


TOLD_EVERY_BACKUP = Property(
    name="told-every-backup",
    sentence="A change is sent to every backup that the primary knows to be there.",
    source="reference replication 2.1; bug-zoo R5",
    start=_SendingJudge,
)
PROPERTIES: tuple[Property, ...] = (TOLD_EVERY_BACKUP,)
