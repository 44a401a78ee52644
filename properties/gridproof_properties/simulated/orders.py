"""Who may order and do what, step by step.

Nothing is changed while a partition moves; the lowest survivor is promoted and tells how much was lost; tables come
from the master, and all have its member list. Needs every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import NONE, read_list
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import EventRecord
from gridproof_properties.judge import Property
from gridproof_properties.step_judge import StepJudge, Told

Place = tuple[int | None, str]
"""A member and a partition."""
OPENED, READIED, FINISHED, EXECUTED = "migration-opened", "migration-readied", "migration-finished", "executed"
ROW_INSTALLED, ORDERED, PROMOTED, LOST = "row-installed", "promotion-ordered", "promoted", "partition-lost"
LISTED, GRANTED, RECEIVED = "member-list-installed", "claim-granted", "table-received"
SETTLED = "settled"
MOVING = frozenset({OPENED, READIED, FINISHED, EXECUTED})
PROMOTING = frozenset({ROW_INSTALLED, ORDERED, PROMOTED, LOST})
FOLLOWING = frozenset({LISTED, GRANTED, RECEIVED})
AGREEING = frozenset({LISTED, SETTLED})
WATCHED = MOVING | PROMOTING | FOLLOWING | AGREEING


@dataclass(slots=True)
class _FenceJudge(StepJudge):
    moving: set[Place] = field(default_factory=set)

    @staticmethod
    def watched() -> frozenset[str]:
        return MOVING

    def look(self, event: EventRecord, told: Told) -> str | None:
        place = (event.member, told["partition"])
        if event.name == FINISHED:
            self.moving.discard(place)
        elif event.name != EXECUTED:
            self.looked += 1
            self.moving.add(place)
        elif told["changed"] == "true" and place in self.moving:
            return f"member {event.member} executes {told['operation']} while partition {told['partition']} moves"
        return None


@dataclass(slots=True)
class _SurvivorJudge(StepJudge):
    rows: dict[Place, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[str]:
        return PROMOTING - {PROMOTED, LOST}

    def look(self, event: EventRecord, told: Told) -> str | None:
        place = (event.member, told["partition"])
        if event.name == ROW_INSTALLED:
            self.rows[place] = read_list(told["slots"])
            return None
        self.looked += 1
        row, index = self.rows.get(place, ()), int(told["from_index"])
        survivors = [slot for slot, member in enumerate(row) if member != NONE]
        if survivors[:1] == [index] and row[index] == told["destination"]:
            return None
        return (
            f"member {event.member} has member {told['destination']} promoted from slot {index} of partition "
            f"{told['partition']}, whose row is {' '.join(row)}"
        )


@dataclass(slots=True)
class _LossJudge(StepJudge):
    rows: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    promoted: dict[Place, int] = field(default_factory=dict)
    """Slots that replicas were promoted from and that were not yet told of."""

    @staticmethod
    def watched() -> frozenset[str]:
        return PROMOTING - {ORDERED}

    def look(self, event: EventRecord, told: Told) -> str | None:
        place = (event.member, told["partition"])
        if event.name == ROW_INSTALLED:
            self.rows[place] = read_list(told["slots"])
            return None
        self.looked += 1
        if event.name == PROMOTED:
            untold = place in self.promoted
            self.promoted[place] = int(told["from_index"])
            return f"member {event.member} is promoted once more and never told of a loss" if untold else None
        lost = int(told["lost_backup_count"])
        from_index = self.promoted.pop(place, None)
        if from_index is not None and lost == from_index - 1:
            return None
        if from_index is None and lost == MAX_BACKUP_COUNT and set(self.rows.get(place, ())) <= {NONE}:
            return None
        return (
            f"member {event.member} tells of {lost} backups lost of partition {told['partition']}, "
            f"promoted from slot {NONE if from_index is None else from_index}"
        )

    def missing(self) -> str | None:
        for member, partition in self.promoted:
            return f"member {member} is promoted for partition {partition} and tells of no loss"
        return None


@dataclass(slots=True)
class _MasterJudge(StepJudge):
    masters: dict[int | None, str] = field(default_factory=dict)
    """Whom each member takes for its master."""

    @staticmethod
    def watched() -> frozenset[str]:
        return FOLLOWING

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == LISTED:
            self.masters[event.member] = read_list(told["members"])[0]
        elif event.name == GRANTED:
            self.masters[event.member] = told["candidate"]
        else:
            self.looked += 1
            master = self.masters.get(event.member)
            if told["sender"] != master:
                return f"member {event.member} takes a table from member {told['sender']}; its master is {master}"
        return None


@dataclass(slots=True)
class _ListJudge(StepJudge):
    lists: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Version and members of the list of each member, written as one."""

    @staticmethod
    def watched() -> frozenset[str]:
        return AGREEING

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == SETTLED:
            self.looked += len(self.lists) > 1
            if len(set(self.lists.values())) > 1:
                found = (f"member {who} has {what} as {version}" for who, (version, what) in sorted(self.lists.items()))
                return f"the grid is at rest and lists differ: {', '.join(found)}"
        elif event.member is not None:
            version, before = int(told["version"]), self.lists.get(event.member, (0, ""))[0]
            self.lists[event.member] = (version, told["members"])
            if version <= before:
                return f"member {event.member} has list {before} and installs list {version}"
            if str(event.member) not in read_list(told["members"]):
                return f"member {event.member} installs list {version} and is not in it"
        return None

    def gone(self, member: int) -> None:
        self.lists.pop(member, None)


FENCED = Property(
    name="nothing-changes-while-it-moves",
    sentence="No member that takes part in a migration executes a change of that partition until it has ended it.",
    source="reference partitioning 4.5; reference replication 11 G4; bug-zoo M3",
    start=_FenceJudge,
)
LOWEST_SURVIVOR = Property(
    name="lowest-survivor-promoted",
    sentence="Of a row without a primary the first backup that is left is promoted.",
    source="reference partitioning 5.2; bug-zoo P1",
    start=_SurvivorJudge,
)
LOSS_TOLD = Property(
    name="loss-told-exactly",
    sentence="A promotion tells of as many lost backups as stood before the one promoted; of an empty row all.",
    source="reference partitioning 5.3, 5.4; reference replication 11 G16; bug-zoo P3",
    start=_LossJudge,
)
TABLES_FROM_THE_MASTER = Property(
    name="tables-from-the-master",
    sentence="A member takes a table from its master only.",
    source="reference partitioning 2.7; bug-zoo T1",
    start=_MasterJudge,
)
LISTS_AGREE = Property(
    name="member-lists-agree",
    sentence="A member's list becomes only newer and has the member in it; at rest all lists are the same.",
    source="reference replication 7.2, 11 G3, L5; bug-zoo S4, S8",
    start=_ListJudge,
)
PROPERTIES: tuple[Property, ...] = (FENCED, LOWEST_SURVIVOR, LOSS_TOLD, TABLES_FROM_THE_MASTER, LISTS_AGREE)
