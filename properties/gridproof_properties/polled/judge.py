"""The rows that members show are validated by the specification `ownership`.

Of a live system no step is recorded: its tables are looked at, at rest and while clients work. Each change of a row,
from one look at a member's table to the next, has to be made of edits that the specification allows whoever is its
master: slots of members that ended are emptied, the lowest survivor is promoted, migrations copy, move and shift, or
fail; and where versions are shown these edits have to raise them by just so much. What cannot be said is unknown: which
of two members knew it first, what a migration copied, who was suspected. `docs/refinement.md` says what is left out.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.trace import MemberChange, MemberRecord, Record, RowRecord, Slots, ViewRecord
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property
from gridproof_properties.judging.refusal import Occurrence, Refusal
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene, describe_members
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import TWO_CLUSTERS
from gridproof_properties.polled.edits import Life
from gridproof_properties.polled.paths import Question, filled, reached
from gridproof_properties.validation.engine import STEPS_KEPT, GivenUpError

MEMBERS_MAX = 9
"""Members that may have a slot between two looks; of more the specification's worlds are not asked."""
NOT_SEARCHED = "more happened between two looks than is searched", "docs/refinement.md, ownership"


@dataclass(frozen=True, slots=True)
class _Look:
    """A row as a member showed it."""

    view: ViewRecord
    row: RowRecord


@dataclass(frozen=True, slots=True)
class _Change:
    before: _Look
    after: _Look


@dataclass(slots=True)
class ShownRowsJudge(Judge):
    """Keeps every change of a row until the end, for who is about to leave is known only then."""

    READS = TABLE_RECORDS
    COUNTED = "ownership refused {failed} of {compared:change} of rows"
    UNSEEN = "no member showed a row that had changed"
    counts_versions: bool
    """Whether a version counts edits; where not, rows alone are held against the specification."""
    scene: Scene = field(default_factory=Scene)
    _shown: dict[tuple[int, int], _Look] = field(default_factory=dict)
    """By observer and partition, the latest row; its view is the latest, too."""
    _changes: list[_Change] = field(default_factory=list)
    _ended: dict[int, int] = field(default_factory=dict)
    """When each member went."""
    _comings: list[MemberRecord] = field(default_factory=list)
    _leavers: set[int] = field(default_factory=set)
    _owns_from: dict[int, int] = field(default_factory=dict)
    """Since when each member may own something: since it joined, or was first shown as a data member (members.10)."""
    _possible: dict[tuple[int, int], frozenset[Slots]] = field(default_factory=dict)
    """The rows that may stand behind the latest look, in numbers of the run."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        self.scene.observe(record)
        if isinstance(record, MemberRecord):
            self._member_changed(record)
        elif isinstance(record, ViewRecord):
            for member in record.data_members:
                self._owns_from.setdefault(member, record.at_ms)
        elif isinstance(record, RowRecord) and self.scene.view is not None:
            place, look = (self.scene.view.observer, record.partition), _Look(self.scene.view, record)
            before = self._shown.get(place)
            self._shown[place] = look
            if before is not None and self._differ(before.row, record):
                self._changes.append(_Change(before, look))

    def conclude(self) -> Finding:
        """Validate every change, and say what was found."""
        refusal: Refusal | None = None
        for change in self._changes:
            view, row = change.after.view, change.after.row
            story, also = None, None
            try:
                story = self._refusal(change)
            except GivenUpError:
                self._possible.pop((view.observer, row.partition), None)
                also = NOT_SEARCHED
            counts = self.comparisons.add(row.partition, change.before.view.at_ms, view.at_ms, story, also)
            if counts and story is not None and refusal is None:
                refusal = self._shown_of(change, story[-1])
        finding = self.comparisons.conclude(self.COUNTED, self.UNSEEN)
        return finding if refusal is None else replace(finding, refusal=refusal)

    def _shown_of(self, refused: _Change, why: str) -> Refusal:
        """Return a change that is refused, and what the same member showed of the row before it."""
        view, row = refused.after.view, refused.after.row
        place = view.observer, row.partition
        of_row = [one for one in self._changes if (one.after.view.observer, one.after.row.partition) == place]
        explained = of_row.index(refused)
        looks = [one.before for one in of_row[: explained + 1]][-STEPS_KEPT:]
        came = [one for one in self._comings if looks[0].view.at_ms <= one.at_ms <= view.at_ms]
        before = [Occurrence(f"member {one.member} {one.change.value}", one) for one in came]
        before = sorted([*map(self._occurrence, looks), *before], key=lambda one: one.at_ms)
        whose = f"partition {row.partition}, as {self.scene.call(view.observer)} shows it"
        return Refusal(whose, why, self._occurrence(refused.after), tuple(before), explained + 1 - len(looks))

    def _occurrence(self, look: _Look) -> Occurrence:
        return Occurrence(self.scene.describe_row(look.row, look.view), look.view)

    def _member_changed(self, record: MemberRecord) -> None:
        self._comings.append(record)
        if record.change is MemberChange.JOINED:
            if not record.lite:
                self._owns_from[record.member] = record.at_ms
            return
        self._ended[record.member] = record.at_ms
        if record.change is MemberChange.LEFT:
            self._leavers.add(record.member)

    def _differ(self, before: RowRecord, after: RowRecord) -> bool:
        is_newer = self.counts_versions and before.version != after.version
        return is_newer or before.slots != after.slots

    def _refusal(self, change: _Change) -> tuple[str, ...] | None:
        """Return why a change is no edits of the specification, None where it is; GivenUpError where nobody can say."""
        before, after = change.before, change.after
        rows = self.scene.describe_row(before.row, before.view), self.scene.describe_row(after.row, after.view)
        for member in after.row.slots:
            if member is not None and self._owns_from.get(member, after.view.at_ms + 1) > after.view.at_ms:
                return (*rows, f"{self.scene.call(member)} is no member that may own anything")
        raises = self._raised(change)
        if raises is not None and raises < 0:
            return (*rows, "no edit lowers a version")
        place = after.view.observer, after.row.partition
        involved = self._by_what_they_have(self._involved(change), change, self._possible.get(place))
        numbering = _Numbering(involved, after.view.groups)
        slots = numbering.slots if self.counts_versions else 0
        starts = self._possible.get(place)
        if starts is None:
            starts = self._filled(before, numbering)
        found = reached(self._question(change, numbering, numbering.all_there(starts, slots), raises))
        self._possible[place] = frozenset(map(numbering.back, found))
        if found:
            return None
        del self._possible[place]
        if numbering.leaves_one_group(set(before.view.data_members) & set(after.view.data_members)):
            raise GivenUpError("a group may have been alone between two looks, and have been cut in two")
        version = "" if raises is None else f" and raise its version by {raises}"
        return (*rows, f"no edits of ownership lead there{version}{self._describe_members(change)}")

    def _raised(self, change: _Change) -> int | None:
        old, new = change.before.row.version, change.after.row.version
        return None if not self.counts_versions or old is None or new is None else new - old

    def _filled(self, look: _Look, numbering: "_Numbering") -> frozenset[Slots]:
        """Return the rows that may stand behind a look of which nothing is known before it.

        Where versions count nothing it makes no difference where somebody comes from: no slot is hidden then.
        """
        others = [one for one in look.view.data_members if one not in look.row.slots]
        hidden = max(numbering.slots - len(look.row.slots), 0) if self.counts_versions else 0
        return filled(look.row.slots, len(look.row.slots) + hidden, tuple(others))

    def _involved(self, change: _Change) -> list[int]:
        """Return who may have had a slot between two looks, in the order of their numbers."""
        before, after = change.before, change.after
        rows = {one for look in (before, after) for one in look.row.slots if one is not None}
        ran = {one for one, at_ms in self._owns_from.items() if at_ms <= after.view.at_ms}
        ended = {one for one, at_ms in self._ended.items() if at_ms < before.view.at_ms}
        behind = self._possible.get((after.view.observer, after.row.partition), frozenset[Slots]())
        hidden = {one for row in behind for one in row if one is not None}
        found = sorted((ran - ended) | rows | hidden)
        if len(found) > MEMBERS_MAX:
            raise GivenUpError(f"more than {MEMBERS_MAX} members")
        return found

    def _by_what_they_have(self, members: list[int], change: _Change, starts: frozenset[Slots] | None) -> list[int]:
        """Return members in an order that says nothing of their names, so that what was asked before is found again."""
        from_ms, to_ms = change.before.view.at_ms, change.after.view.at_ms
        places = Counter[tuple[int, int]]()
        for row in starts or ():
            places.update((one, slot) for slot, one in enumerate(row) if one is not None)

        def having(member: int) -> tuple[int, ...]:
            return (
                _slot_of(member, change.after.row.slots),
                _slot_of(member, change.before.row.slots),
                int(self._owns_from.get(member, to_ms) > from_ms),
                int(member in self._leavers),
                int(self._ended.get(member, to_ms + 1) <= to_ms),
                *(places[member, slot] for slot in range(MAX_REPLICA_COUNT)),
                member,
            )

        return sorted(members, key=having)

    def _question(
        self, change: _Change, numbering: "_Numbering", starts: frozenset[Slots], raises: int | None
    ) -> Question:
        from_ms, to_ms = change.before.view.at_ms, change.after.view.at_ms
        in_rows = {one for row in starts for one in map(numbering.member, row) if one is not None}
        members = numbering.members
        new = {one for one in members if self._owns_from.get(one, to_ms) > from_ms and one not in in_rows}
        ended = {one for one in members if self._ended.get(one, to_ms + 1) <= to_ms}
        leaving = {one for one in members if one in self._leavers}
        lives = tuple(Life.ABSENT if one is None or one in new else Life.RUNNING for one in numbering.by_number)
        return Question(
            starts,
            lives,
            numbering.groups,
            numbering.there(change.after.row.slots),
            raises,
            numbering.numbers(new),
            numbering.numbers(leaving),
            numbering.numbers(ended),
        )

    def _describe_members(self, change: _Change) -> str:
        """Return who had ended, and who ran, at the second look."""
        at_ms = change.after.view.at_ms
        ended = [one for one, ended_ms in self._ended.items() if change.before.view.at_ms <= ended_ms <= at_ms]
        past = f"; {self.scene.call_all(ended)} ended in between" if ended else ""
        return f", with {describe_members(change.after.view.data_members)} running{past}"


def _slot_of(member: int, slots: Slots) -> int:
    return slots.index(member) if member in slots else MAX_REPLICA_COUNT


class _Numbering:
    """Numbers members so that the group of one is its number modulo the number of groups."""

    def __init__(self, members: list[int], groups: tuple[str, ...]) -> None:
        self.members = members
        by_group: dict[str, list[int]] = {}
        for member in members:
            name = groups[member] if member < len(groups) else ""
            by_group.setdefault(name or f"member {member}", []).append(member)
        if len(by_group) == 1 and len(members) > 1:
            raise GivenUpError("a group alone is cut in two, which the specification does not know")
        by_group = dict(sorted(by_group.items(), key=lambda named: -len(named[1])))
        self.groups = len(by_group)
        self.slots = min(MAX_REPLICA_COUNT, self.groups)
        deepest = max(map(len, by_group.values()))
        self.by_number: list[int | None] = [
            group[depth] if depth < len(group) else None for depth in range(deepest) for group in by_group.values()
        ]
        self._numbers = {member: number for number, member in enumerate(self.by_number) if member is not None}

    def leaves_one_group(self, staying: Collection[int]) -> bool:
        """Whether those that stay are several members of one group, which is cut in two then (placement.7)."""
        numbers = self.numbers(staying)
        return len(numbers) > 1 and len({number % self.groups for number in numbers}) == 1

    def member(self, number: int | None) -> int | None:
        """Return the member of a number."""
        return None if number is None else self.by_number[number]

    def numbers(self, members: Iterable[int]) -> frozenset[int]:
        """Return the numbers of some members."""
        return frozenset(self._numbers[member] for member in members)

    def there(self, slots: Slots) -> Slots:
        """Return slots in numbers of this world."""
        return tuple(None if one is None else self._numbers[one] for one in slots)

    def all_there(self, rows: frozenset[Slots], slots: int) -> frozenset[Slots]:
        """Return rows in numbers of this world, each with so many slots at least."""
        return frozenset((*self.there(row), *(None,) * (slots - len(row))) for row in rows)

    def back(self, slots: Slots) -> Slots:
        """Return slots in numbers of the run."""
        return tuple(map(self.member, slots))


def _start_with_versions() -> Judge:
    return ShownRowsJudge(counts_versions=True)


def _start_with_rows() -> Judge:
    return ShownRowsJudge(counts_versions=False)


SENTENCE = "Whatever a member shows of a row next has come of edits that the specification ownership allows"
SOURCE = "table.10, placement.18, migration.2, migration.12, repair.3; invariant P1"
LIMITS = (TWO_CLUSTERS,)
PROPERTY = Property(
    "refines-ownership-when-polled",
    f"{SENTENCE}, versions included.",
    SOURCE,
    Severity.PROTOCOL,
    _start_with_versions,
    OF_ROWS,
    LIMITS,
)
OF_ROWS_ALONE = Property(
    "refines-ownership-rows", f"{SENTENCE}.", SOURCE, Severity.PROTOCOL, _start_with_rows, OF_ROWS, LIMITS
)
