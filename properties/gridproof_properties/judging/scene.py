"""What a judge knows of members and views while it reads records.

The names of the members, the view that the next rows belong to, and which members were alive, which were owners and in
which group when it was taken. Memory: a few words per member, whatever the length of the run.

The module also puts whole tables at rest together from records. A table is judged as a whole if it was settled and all
its rows came: a trace that stops in the middle of a view has no table there. Memory: one table.
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
    """Member names by number."""
    weights: dict[int, float] = field(default_factory=dict)
    """Member weights by number."""
    present: dict[int, str] = field(default_factory=dict)
    """Groups of the data members that have joined and not ended, by number: as of now, not of the latest view."""
    _present_groups: Counter[str] = field(default_factory=Counter)
    """How many such data members there are in each group."""
    lite: set[int] = field(default_factory=set)
    """Members that joined as lite members, have not ended, and were data members in no view so far."""
    alive: frozenset[int] = frozenset()
    """The members alive in the latest view."""
    owners: frozenset[int] = frozenset()
    """The members of the latest view that may own replicas."""
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The owners of the latest view by partition group; without owners that are in no group."""
    stated: StatedTable = field(default_factory=StatedTable)
    """What the system itself says about its table, noted here by the part that reads it."""
    sharing_groups: int = 0
    """How many of these groups are due copies: groups of weight 0 are not, unless all weigh 0."""

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
        """The number of partition groups of the data members present now."""
        return len(self._present_groups)

    @property
    def copies(self) -> int:
        """How many copies of a partition the run asked for, the primary included."""
        return 1 if self.run is None else 1 + self.run.backup_count

    @property
    def wanted(self) -> int:
        """How many copies a row of the latest view should have: as many as the run asked for, at most one per group."""
        return min(self.sharing_groups, self.copies)

    @property
    def settled(self) -> bool:
        """Whether the latest view was taken at rest."""
        return self.view is not None and self.view.settled

    def call(self, member: int | None) -> str:
        """Return a member as a sentence names it."""
        if member is None:
            return "no member"
        return f"member {member} ({self.names[member]})" if member in self.names else f"member {member}"

    def call_all(self, members: Iterable[int]) -> str:
        """Return several members as a sentence names them, in ascending order."""
        *others, last = [self.call(member) for member in sorted(members)] or ["no member"]
        return f"{', '.join(others)} and {last}" if others else last

    def describe_row(self, row: RowRecord, view: ViewRecord | None = None) -> str:
        """Return one sentence: which member showed which row, when, and where in the run."""
        seen = view or self.view
        if seen is None:
            return f"partition {row.partition} on members {describe_slots(row)}"
        when = f"at {seen.at_ms:,} ms ({seen.stage!r})"
        return f"{when} {self.call(seen.observer)} showed partition {row.partition} on members {describe_slots(row)}"


def describe_slots(row: RowRecord) -> str:
    """Return the slots of a row, primary first, and its version."""
    version = "" if row.version is None else f" at version {row.version}"
    return f"[{describe_members(row.slots)}]{version}"


def describe_members(slots: Sequence[int | None]) -> str:
    """Return member numbers in a row, a dash for an empty slot."""
    return ", ".join("-" if slot is None else str(slot) for slot in slots)


@dataclass(frozen=True, slots=True, eq=False)
class SettledTable:
    """Every row of one settled view."""

    view: ViewRecord
    rows: tuple[RowRecord, ...]
    """The rows in the order of their partitions."""


@dataclass(slots=True)
class TableReader:
    """Hands out each settled table when its last row has come."""

    scene: Scene
    """The scene is shown each record before this object is."""
    _rows: list[RowRecord] = field(default_factory=list)

    def read(self, record: Record) -> SettledTable | None:
        """Read the next record; return the table it completes, if it completes one."""
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
