"""The rows that members show are validated by the specification `ownership`.

Of a live system no step is recorded: its tables are looked at, at rest and while clients work. Each change of a row,
from one look at a member's table to the next, has to be made of edits that the specification allows whoever is its
master: slots of members that ended are emptied, the lowest survivor is promoted, migrations copy, move and shift, or
fail; and where versions are shown these edits have to raise them by just so much. What cannot be said is unknown: which
of two members knew it first, what a migration copied, who was suspected. `docs/refinement.md` says what is left out.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations

from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.trace import MemberChange, MemberRecord, Record, RowRecord, Slots, ViewRecord
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property
from gridproof_properties.judging.refusal import Occurrence, Refusal
from gridproof_properties.judging.scene import TABLE_RECORDS, describe_members
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.shares import group_of
from gridproof_properties.judging.survival import TWO_CLUSTERS
from gridproof_properties.polled.edits import Life, Lives, reached, renumbered
from gridproof_properties.validation.engine import STEPS_KEPT, GivenUpError

MEMBERS_MAX = 9
"""Members that may have a slot between two looks; of more the specification's worlds are not asked."""
TAILS_MAX = 250
"""Ways to fill the slots that are not shown."""
NOT_SEARCHED = "more happened between two looks than is searched", "docs/refinement.md, ownership"


@dataclass(frozen=True, slots=True)
class _Look:
    """A row as a member showed it."""

    view: ViewRecord
    row: RowRecord

    @property
    def place(self) -> tuple[int, int]:
        """Who showed it, and of which partition."""
        return self.view.observer, self.row.partition


@dataclass(slots=True)
class ShownRowsJudge(Judge):
    """Keeps every change of a row until the end, for who is about to leave is known only then."""

    READS = TABLE_RECORDS
    COUNTED = "ownership refused {failed} of {compared:change} of rows"
    UNSEEN = "no member showed a row that had changed"
    counts_versions: bool
    """Whether a version counts edits; where not, rows alone are held against the specification."""
    _shown: dict[tuple[int, int], _Look] = field(default_factory=dict)
    """By observer and partition, the latest row; its view is the latest, too."""
    _changes: list[tuple[_Look, _Look]] = field(default_factory=list)
    """What somebody showed of a row, and what it showed next."""
    _comings: list[MemberRecord] = field(default_factory=list)
    _ended: dict[int, int] = field(default_factory=dict)
    """When each member went."""
    _owns_from: dict[int, int] = field(default_factory=dict)
    """Since when each member may own something: since it joined, or was first shown as a data member (members.10)."""
    _possible: dict[tuple[int, int], frozenset[Slots]] = field(default_factory=dict)
    """The rows that may stand behind the latest look, in numbers of the run."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, MemberRecord):
            self._comings.append(record)
            if record.change is not MemberChange.JOINED:
                self._ended[record.member] = record.at_ms
            elif not record.lite:
                self._owns_from[record.member] = record.at_ms
        elif isinstance(record, ViewRecord):
            for member in record.data_members:
                self._owns_from.setdefault(member, record.at_ms)
        elif isinstance(record, RowRecord) and self.comparisons.scene.view is not None:
            look = _Look(self.comparisons.scene.view, record)
            before = self._shown.get(look.place)
            self._shown[look.place] = look
            is_newer = self.counts_versions and before is not None and before.row.version != record.version
            if before is not None and (is_newer or before.row.slots != record.slots):
                self._changes.append((before, look))

    def conclude(self) -> Finding:
        """Validate every change, and say what was found."""
        refusal: Refusal | None = None
        for before, after in self._changes:
            why, also = None, None
            try:
                why = self._refusal(before, after)
            except GivenUpError:
                self._possible.pop(after.place, None)
                also = NOT_SEARCHED
            story = None if why is None else (self._occurrence(before).text, self._occurrence(after).text, why)
            counts = self.comparisons.add(after.row.partition, before.view.at_ms, after.view.at_ms, story, also)
            if counts and why is not None and refusal is None:
                refusal = self._shown_of(after, why)
        finding = self.comparisons.conclude(self.COUNTED, self.UNSEEN)
        return finding if refusal is None else replace(finding, refusal=refusal)

    def _shown_of(self, refused: _Look, why: str) -> Refusal:
        """Return a look that is refused, and what the same member showed of the row before it."""
        of_row = [change for change in self._changes if change[1].place == refused.place]
        looks = [before for before, after in of_row if after.view.view <= refused.view.view]
        left_out, looks = max(len(looks) - STEPS_KEPT, 0), looks[-STEPS_KEPT:]
        came = [one for one in self._comings if looks[0].view.at_ms <= one.at_ms <= refused.view.at_ms]
        before = [Occurrence(f"member {one.member} {one.change.value}", one) for one in came]
        before = sorted([*map(self._occurrence, looks), *before], key=lambda one: one.at_ms)
        whose = f"partition {refused.row.partition}, as {self.comparisons.scene.call(refused.view.observer)} shows it"
        return Refusal(whose, why, self._occurrence(refused), tuple(before), left_out)

    def _occurrence(self, look: _Look) -> Occurrence:
        return Occurrence(self.comparisons.scene.describe_row(look.row, look.view), look.view)

    def _refusal(self, before: _Look, after: _Look) -> str | None:
        """Return why a change is no edits of the specification, None where it is; GivenUpError where nobody can say."""
        for member in after.row.slots:
            if member is not None and self._owns_from.get(member, after.view.at_ms + 1) > after.view.at_ms:
                return f"{self.comparisons.scene.call(member)} is no member that may own anything"
        old, new = before.row.version, after.row.version
        raises = None if not self.counts_versions or old is None or new is None else new - old
        if raises is not None and raises < 0:
            return "no edit lowers a version"
        members = self._involved(before, after)
        groups = {one: group_of(after.view, one) or f"member {one}" for one in members}
        if len(members) > 1 == len(set(groups.values())):
            raise GivenUpError("a group alone is cut in two, which the specification does not know")
        # Where versions count nothing it makes no difference where somebody comes from: no slot is hidden then.
        slots = min(MAX_REPLICA_COUNT, len(set(groups.values()))) if self.counts_versions else 0
        starts = self._starts(before, slots)
        numbers, named = {one: number for number, one in enumerate(members)}, [*groups.values()]
        found = reached(
            frozenset(renumbered(row, numbers) for row in starts),
            tuple(self._fate(one, before, after, starts) for one in members),
            tuple(map(named.index, named)),
            renumbered(after.row.slots, numbers),
            raises,
        )
        if isinstance(found, str):
            raise GivenUpError(found)
        if found:
            self._possible[after.place] = frozenset(renumbered(row, members) for row in found)
            return None
        self._possible.pop(after.place, None)
        staying = set(before.view.data_members) & set(after.view.data_members)
        apart, held = len({groups[one] for one in staying}), sum(one is not None for one in before.row.slots)
        if apart < len(staying) and (apart == 1 or apart < held):  # placement.7, placement.19
            raise GivenUpError("a group may have been cut in two, or whoever had a slot beyond the groups taken out")
        version = "" if raises is None else f" and raise its version by {raises}"
        ended = [one for one, at_ms in self._ended.items() if before.view.at_ms <= at_ms <= after.view.at_ms]
        past = f"; {self.comparisons.scene.call_all(ended)} ended in between" if ended else ""
        running = f", with {describe_members(after.view.data_members)} running{past}"
        return f"no edits of ownership lead there{version}{running}"

    def _involved(self, before: _Look, after: _Look) -> list[int]:
        """Return who may have had a slot between two looks, in the order of their numbers."""
        ran = {one for one, at_ms in self._owns_from.items() if at_ms <= after.view.at_ms}
        ended = {one for one, at_ms in self._ended.items() if at_ms < before.view.at_ms}
        rows = (before.row.slots, after.row.slots, *self._possible.get(after.place, ()))
        found = sorted((ran - ended) | {one for row in rows for one in row if one is not None})
        if len(found) > MEMBERS_MAX:
            raise GivenUpError(f"more than {MEMBERS_MAX} members")
        return found

    def _starts(self, look: _Look, slots: int) -> frozenset[Slots]:
        """Return the rows of so many slots at least that may stand behind a look: any, where nothing is known yet.

        GivenUpError where there are too many.
        """
        if look.place in self._possible:
            return frozenset((*row, *(None,) * (slots - len(row))) for row in self._possible[look.place])
        row, found = look.row.slots, set[Slots]()
        hidden = max(slots - len(row), 0)
        others = [one for one in look.view.data_members if one not in row]
        for tail in permutations((*others, *(None,) * hidden), hidden):
            found.add((*row, *tail))
            if len(found) > TAILS_MAX:
                raise GivenUpError(f"more than {TAILS_MAX} ways to fill the slots that are not shown")
        return frozenset(found)

    def _fate(self, member: int, before: _Look, after: _Look, starts: frozenset[Slots]) -> Lives:
        """Return what a member is at the first of two looks, and what may have become of it at the second."""
        from_ms, to_ms = before.view.at_ms, after.view.at_ms
        is_new = self._owns_from.get(member, to_ms) > from_ms and not any(member in row for row in starts)
        may_leave = any(one.member == member and one.change is MemberChange.LEFT for one in self._comings)
        may_end = self._ended.get(member, to_ms + 1) <= to_ms
        may_be = {Life.ABSENT: is_new, Life.RUNNING: True, Life.LEAVING: may_leave, Life.GONE: may_end}
        return tuple(life for life in Life if may_be[life])


SENTENCE = "Whatever a member shows of a row next has come of edits that the specification ownership allows"
SOURCE = "table.10, placement.18, migration.2, migration.12, repair.3; invariant P1"


def _property(name: str, sentence: str, *, counts_versions: bool) -> Property:
    judge = partial(ShownRowsJudge, counts_versions=counts_versions)
    return Property(name, sentence, SOURCE, Severity.PROTOCOL, judge, OF_ROWS, (TWO_CLUSTERS,))


PROPERTY = _property("refines-ownership-when-polled", f"{SENTENCE}, versions included.", counts_versions=True)
OF_ROWS_ALONE = _property("refines-ownership-rows", f"{SENTENCE}.", counts_versions=False)
