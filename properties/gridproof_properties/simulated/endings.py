"""What begins ends, and ends once.

Calls, migrations, leaves: a member that is gone owes no end. Needs every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import EventRecord
from gridproof_properties.judge import Property
from gridproof_properties.step_judge import StepJudge, Told

CALL_BEGUN, CALL_ENDED = "call-begun", "call-ended"
OPENED, READIED, FINISHED = "migration-opened", "migration-readied", "migration-finished"
LEAVING = "shutdown-requested"
WATCHED = frozenset({CALL_BEGUN, CALL_ENDED, OPENED, READIED, FINISHED, LEAVING})


@dataclass(slots=True)
class _CallJudge(StepJudge):
    open: dict[tuple[int | None, str], int] = field(default_factory=dict)
    """When calls under way began, by member and number."""

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({CALL_BEGUN, CALL_ENDED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        call = (event.member, told["invocation"])
        if event.name == CALL_BEGUN:
            self.open[call] = event.at_ms
            return None
        self.looked += 1
        if self.open.pop(call, None) is None:
            return f"call {call[1]} of member {call[0]} ends as {told['how']} and was not under way"
        return None

    def gone(self, member: int) -> None:
        for call in [call for call in self.open if call[0] == member]:
            del self.open[call]

    def missing(self) -> str | None:
        for (member, number), began_ms in self.open.items():
            return f"call {number} of member {member}, begun at {began_ms} ms, never ends"
        return None


@dataclass(slots=True)
class _MigrationJudge(StepJudge):
    open: dict[tuple[int | None, str], tuple[str, str]] = field(default_factory=dict)
    """The migration a member takes part in, by member and partition."""

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({OPENED, READIED, FINISHED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        self.looked += 1
        place, migration = (event.member, told["partition"]), (told["master"], told["number"])
        known = self.open.pop(place, None)
        who = f"member {event.member}, partition {told['partition']}: migration {' '.join(migration)}"
        if event.name == FINISHED:
            return None if known == migration else f"{who} ends and was not under way"
        self.open[place] = migration
        return None if known is None else f"{who} begins while {' '.join(known)} is under way"

    def gone(self, member: int) -> None:
        for place in [place for place in self.open if place[0] == member]:
            del self.open[place]

    def missing(self) -> str | None:
        for (member, partition), (master, number) in self.open.items():
            return f"migration {master} {number} of partition {partition} never ends for member {member}"
        return None


@dataclass(slots=True)
class _LeaveJudge(StepJudge):
    leaving: dict[int, int] = field(default_factory=dict)
    """When members asked to leave."""

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({LEAVING})

    def look(self, event: EventRecord, told: Told) -> str | None:
        self.looked += 1
        if event.member is not None:
            self.leaving[event.member] = event.at_ms
        return None

    def gone(self, member: int) -> None:
        self.leaving.pop(member, None)

    def missing(self) -> str | None:
        for member, asked_ms in self.leaving.items():
            return f"member {member} asks to leave at {asked_ms} ms and never goes"
        return None


CALLS_END_ONCE = Property(
    name="calls-end-once",
    sentence="Every call that a member takes on ends, and ends once.",
    source="reference replication 11 G13, L4; bug-zoo I3, I6",
    start=_CallJudge,
)
MIGRATIONS_END_ONCE = Property(
    name="migrations-end-once",
    sentence="Whoever takes part in a migration ends it once, before it takes part in the next of that partition.",
    source="reference partitioning 4.5; bug-zoo M4, M6",
    start=_MigrationJudge,
)
LEAVES_END = Property(
    name="leaves-end",
    sentence="A member that asks to leave goes in the end.",
    source="reference partitioning 5.5; bug-zoo S2",
    start=_LeaveJudge,
)
PROPERTIES: tuple[Property, ...] = (CALLS_END_ONCE, MIGRATIONS_END_ONCE, LEAVES_END)
