"""What a judge knows of members and views while it reads records.

The scene consists of the names of the members, the view to which the next rows belong, the members that were alive when
this view was taken, the owners among them, and the group of each owner. Memory: a few words per member, however long
the run is.

The module also assembles whole tables at rest from the records. A table is judged as a whole if its view was settled
and all its rows came: if the trace stops in the middle of a view, there is no table. Memory: one table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import MemberChange, MemberRecord, OperationRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.judging.shares import count_sharing, members_by_group

TABLE_RECORDS: frozenset[type[Record]] = frozenset({RunRecord, MemberRecord, ViewRecord, RowRecord})
"""The types of records that a judge of tables reads."""


@dataclass(slots=True)
class Scene:
    """The head of the run, the members shown so far and the latest view."""

    run: RunRecord | None = None
    view: ViewRecord | None = None
    names: dict[int, str] = field(default_factory=dict)
    """The name of each member, by the member's number."""
    weights: dict[int, float] = field(default_factory=dict)
    """The weight of each member, by the member's number."""
    present: dict[int, str] = field(default_factory=dict)
    """Groups of the data members that have joined and not ended, by member number: as of now, not as of the view."""
    _present_groups: Counter[str] = field(default_factory=Counter)
    """How many of these data members are in each group."""
    lite: set[int] = field(default_factory=set)
    """Members that joined as lite members, have not ended, and have been data members in no view so far."""
    alive: frozenset[int] = frozenset()
    """The members alive in the latest view."""
    owners: frozenset[int] = frozenset()
    """The members of the latest view that may own replicas."""
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The owners in the latest view, by partition group; owners that are in no group are left out."""
    stated: StatedTable = field(default_factory=StatedTable)
    """What the system itself says about its table; the part of the program that reads it puts it here."""
    sharing_groups: int = 0
    """How many of the owners' groups should get copies: groups of weight 0 should not, unless all groups weigh 0."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, OperationRecord):
            return  # most records of a run are operations
        match record:
            case RunRecord():
                self.run = record
            case MemberRecord():
                self.names[record.member] = record.name
                self.weights[record.member] = record.weight
                self.lite.discard(record.member)
                self._go(record.member)
                if record.change is MemberChange.JOINED and record.lite:
                    self.lite.add(record.member)
                elif record.change is MemberChange.JOINED:
                    self._come(record.member, record.group)
            case ViewRecord():
                self.view = record
                self.alive = frozenset(record.members)
                self.owners = frozenset(record.data_members)
                self.groups = members_by_group(record)
                self.sharing_groups = count_sharing(self.groups, self.weights)
                for promoted in self.lite & self.owners:  # placement.8
                    self.lite.discard(promoted)
                    self._come(promoted, record.groups[promoted])
            case _:
                pass

    def _come(self, member: int, group: str) -> None:
        self.present[member] = group
        self._present_groups[group] += 1

    def _go(self, member: int) -> None:
        group = self.present.pop(member, None)
        if group is not None:
            self._present_groups[group] -= 1
            if not self._present_groups[group]:
                del self._present_groups[group]

    @property
    def group_count(self) -> int:
        """The number of partition groups of the data members that are present now."""
        return len(self._present_groups)

    @property
    def copies(self) -> int:
        """How many copies of a partition the run asked for, including the primary."""
        return 1 if self.run is None else 1 + self.run.backup_count

    @property
    def wanted(self) -> int:
        """How many copies a row of the latest view should have: as many as the run asked for, at most one per group."""
        return min(self.sharing_groups, self.copies)

    @property
    def settled(self) -> bool:
        """Whether the grid was at rest when the latest view was taken."""
        return self.view is not None and self.view.settled

    def call(self, member: int | None) -> str:
        """Return the words by which a sentence names a member."""
        if member is None:
            return "no member"
        name = self.names.get(member, "no record says that it joined" if self.names else "")
        return f"member {member} ({name})" if name else f"member {member}"

    def call_all(self, members: Iterable[int]) -> str:
        """Return the words by which a sentence names several members, in ascending order."""
        *others, last = [self.call(member) for member in sorted(members)] or ["no member"]
        return f"{', '.join(others)} and {last}" if others else last

    def describe_row(self, row: RowRecord, view: ViewRecord | None = None) -> str:
        """Return one sentence that says which member showed which row, when, and at which stage of the run."""
        seen = view or self.view
        if seen is None:
            return f"partition {row.partition} on members {describe_slots(row)}"
        when = f"at {seen.at_ms:,} ms ({seen.stage!r})"
        return f"{when} {self.call(seen.observer)} showed partition {row.partition} on members {describe_slots(row)}"


def describe_slots(row: RowRecord) -> str:
    """Return the slots of a row, the primary first, and the version of the row."""
    version = "" if row.version is None else f" at version {row.version}"
    return f"[{describe_members(row.slots)}]{version}"


def describe_members(slots: Sequence[int | None]) -> str:
    """Return the numbers of the members in a row, with a dash for an empty slot."""
    return ", ".join("-" if slot is None else str(slot) for slot in slots)


@dataclass(frozen=True, slots=True, eq=False)
class SettledTable:
    """Every row of one settled view."""

    view: ViewRecord
    rows: tuple[RowRecord, ...]
    """The rows in the order of their partitions."""


@dataclass(slots=True)
class TableReader:
    """Returns each settled table when the table's last row has come."""

    scene: Scene
    """The members; each record is shown to the scene before it is shown to this object."""
    _rows: list[RowRecord] = field(default_factory=list)

    def read(self, record: Record) -> SettledTable | None:
        """Read the next record; return the table that this record completes, or None."""
        if not isinstance(record, RowRecord):
            if isinstance(record, ViewRecord):
                self._rows.clear()
            return None
        if not self.scene.settled or self.scene.view is None or self.scene.run is None:
            return None
        self._rows.append(record)
        if len(self._rows) < self.scene.run.partition_count:
            return None
        rows, self._rows = tuple(sorted(self._rows, key=lambda row: row.partition)), []
        return SettledTable(self.scene.view, rows)
