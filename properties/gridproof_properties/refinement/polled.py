"""The rows that members show when they are polled, validated by the specification `ownership`.

A live system does not record its steps: its tables are polled, at rest and while clients work. Each change of a row,
from one poll of a member's table to the next, has to consist of edits that the specification allows its master: slots
of ended members are emptied, the lowest survivor is promoted, and migrations copy, move and shift, or fail; and if
versions are shown, these edits have to raise the version by exactly the difference shown. What polls do not show is not
validated: which of two members knew a row first, what a migration copied, and whom members suspected.
`docs/refinement.md` says what is left out.

A poll shows a row, but not how the row came about. So the specification is asked which actions change a row, in a world
in which every running member has this row, and how much they add to its version. A migration counts as all its actions
in order; a migration that fails changes only the version. Each answer is kept, with members numbered by their slots: a
run has thousands of changes, and most of them differ only in the names of members.

Between two polls a row may be edited any number of times; members may start, ask to leave and end, in any order.
Versions limit the search: each edit raises the version by an amount that depends on what the edit changes. The slots
after those that are shown may have any members, so the judge keeps a set of rows: all that are possible after what was
seen until now.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, partial
from itertools import permutations
from typing import NamedTuple

from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner
from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Role
from gridproof_model.trace import MemberChange, MemberRecord, Record, RowRecord, Slots, ViewRecord
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property, Severity
from gridproof_properties.judging.scene import TABLE_RECORDS, describe_members
from gridproof_properties.judging.shares import group_of
from gridproof_properties.judging.survival import TWO_CLUSTERS
from gridproof_properties.judging.verdict import Occurrence, Refusal
from gridproof_properties.refinement import REFINEMENTS
from gridproof_properties.validation.engine import STEPS_KEPT, GivenUpError
from gridproof_properties.validation.judge import PLENTY

BEGIN = 1
"""The version of a row before an edit; only the difference that the edit makes matters."""
RAISES_MAX = 16
"""The largest rise of a version between two polls that is searched."""
UNVERSIONED_MAX = 8
"""The most by which edits may raise a version between two polls, if no versions are shown."""
ROWS_MAX = 1_000
"""The most rows, each with the running members, that are searched between two polls."""
BEGUN_BY = (
    "master_empties_slots", "master_clears_slot", "master_fills_slot",
    "master_orders_promotion", "master_orders_migration", "master_orders_shift_down",
)  # fmt: skip
ENDED_BY = (
    "backup_is_promoted_at_once", "master_records_promotion",
    "primary_opens_migration", "destination_gets_ready", "primary_copies_data",
    "master_sends_commit", "destination_commits", "master_commits",
)  # fmt: skip
"""The actions, in turn, that carry out an order; a master that is the destination has recorded some of them before."""
FAILING = ("promotion_fails", "migration_fails")


class Life(Enum):
    """The states of a member's life."""

    ABSENT = "absent"
    RUNNING = "running"
    LEAVING = "leaving"
    """The member runs, and has asked the master for permission to leave."""
    GONE = "gone"


RUNNING = (Life.RUNNING, Life.LEAVING)
Lives = tuple[Life, ...]
Members = tuple[int, ...]


class Edit(NamedTuple):
    """One change of a row, as all members have the row in the end."""

    row: Slots
    raises: int
    """By how much the edit raises the version."""
    ended: int | None = None
    """The member that ended while the edit was made; None if none did."""


MEMBERS_MAX = 9
"""The most members that may have a slot between two polls; if there are more, the specification is not asked."""
TAILS_MAX = 250
"""The largest number of ways to fill the slots that are not shown."""
NOT_SEARCHED = "more happened between two looks than is searched", "docs/refinement.md, ownership"


class _Look(NamedTuple):
    """A row as one member showed it in a poll."""

    view: ViewRecord
    row: RowRecord

    @property
    def place(self) -> tuple[int, int]:
        """The member that showed the row, and the partition."""
        return self.view.observer, self.row.partition


@dataclass(slots=True)
class ShownRowsJudge(Judge):
    """Keeps every change of a row until the end of the run: which members wanted to leave is known only then."""

    READS = TABLE_RECORDS
    COUNTED = "the specification ownership does not allow {failed} of {compared:change} of rows"
    HELD = "the specification ownership allows {all} {compared:change} of rows"
    UNSEEN = "no member showed a row that had changed"
    counts_versions: bool
    """Whether a version counts edits; if it does not, only the rows are compared with the specification."""
    _shown: dict[tuple[int, int], _Look] = field(default_factory=dict)
    """For each observer and partition, the latest row, with the latest view that contains it."""
    _changes: list[tuple[_Look, _Look]] = field(default_factory=list)
    """The changes of rows: the row that a member showed, and the row that it showed next."""
    _comings: list[MemberRecord] = field(default_factory=list)
    _ended: dict[int, int] = field(default_factory=dict)
    """For each member that ended, the time at which it did."""
    _owns_from: dict[int, int] = field(default_factory=dict)
    """For each member, since when it may own partitions: it joined, or was shown as a data member (members.10)."""
    _possible: dict[tuple[int, int], frozenset[Slots]] = field(default_factory=dict)
    """For each observer and partition, the full rows possible at the latest poll, with the run's member numbers."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, MemberRecord):
            self._comings.append(record)
            if record.change is not MemberChange.JOINED:
                self._ended[record.member] = record.at_ms
            elif not record.lite:
                self._owns_from[record.member] = record.at_ms
        elif isinstance(record, ViewRecord):
            self._owns_from = dict.fromkeys(record.data_members, record.at_ms) | self._owns_from
        elif isinstance(record, RowRecord) and self.comparisons.scene.view is not None:
            look = _Look(self.comparisons.scene.view, record)
            before = self._shown.get(look.place)
            self._shown[look.place] = look
            is_newer = self.counts_versions and before is not None and before.row.version != record.version
            if before is not None and (is_newer or before.row.slots != record.slots):
                self._changes.append((before, look))

    def conclude(self) -> Finding:
        """Validate every change, and return what was found."""
        refusal: Refusal | None = None
        for before, after in self._changes:
            why = also = None
            try:
                why = self._refusal(before, after)
            except GivenUpError:
                also = NOT_SEARCHED
            wrong = f"{self._occurrence(after).text}, though {why}"
            story = None if why is None else (wrong, self._occurrence(before).text)
            counts = self.comparisons.add(after.row.partition, before.view.at_ms, after.view.at_ms, story, also)
            if counts and why is not None and refusal is None:
                refusal = self._shown_of(after, why)
        finding = self.comparisons.conclude(self.COUNTED, self.UNSEEN, self.HELD)
        return finding if refusal is None else replace(finding, refusal=refusal)

    def _shown_of(self, refused: _Look, why: str) -> Refusal:
        """Return the refusal of a changed row, together with the row that the same member showed before."""
        of_row = [change for change in self._changes if change[1].place == refused.place]
        looks = [before for before, after in of_row if after.view.view <= refused.view.view]
        left_out, looks = max(len(looks) - STEPS_KEPT, 0), looks[-STEPS_KEPT:]
        came = [one for one in self._comings if looks[0].view.at_ms <= one.at_ms <= refused.view.at_ms]
        lives = (Occurrence(f"member {one.member} {one.change.value}", one) for one in came)
        before = sorted([*map(self._occurrence, looks), *lives], key=lambda one: one.at_ms)
        whose = f"partition {refused.row.partition}, as {self.comparisons.scene.call(refused.view.observer)} shows it"
        return Refusal(whose, why, self._occurrence(refused), tuple(before), left_out)

    def _occurrence(self, look: _Look) -> Occurrence:
        return Occurrence(self.comparisons.scene.describe_row(look.row, look.view), look.view)

    def _refusal(self, before: _Look, after: _Look) -> str | None:
        """Return why no edits of the specification make a change; None if some do; GivenUpError if this is unknown."""
        possible = self._possible.pop(after.place, frozenset())
        for member in after.row.slots:
            if member is not None and self._owns_from.get(member, after.view.at_ms + 1) > after.view.at_ms:
                return f"{self.comparisons.scene.call(member)} may own no partition"
        old, new = before.row.version, after.row.version
        raises = None if not self.counts_versions or old is None or new is None else new - old
        if raises is not None and raises < 0:
            return "no edit of a row lowers its version"
        members = self._involved(before, after, possible)
        groups = {one: group_of(after.view, one) or f"member {one}" for one in members}
        if len(members) > 1 == len(set(groups.values())):
            split = "the only partition group was split in two between two polls"
            raise GivenUpError(f"{split}, which the specification does not describe")
        # If no versions are counted, no hidden slots are needed: it does not matter where a member in a slot came from.
        slots = min(MAX_REPLICA_COUNT, len(set(groups.values()))) if self.counts_versions else 0
        starts = self._starts(before, slots, possible)
        numbers, named = {one: number for number, one in enumerate(members)}, [*groups.values()]
        found = reached(
            frozenset(renumbered(row, numbers) for row in starts),
            tuple(self._fate(one, before, after, starts) for one in members),
            tuple(map(named.index, named)),
            renumbered(after.row.slots, numbers),
            raises,
        )
        if found is None:
            most = f"{RAISES_MAX} versions or {ROWS_MAX:,} rows are possible between two polls of a row"
            raise GivenUpError(f"more than {most}, too many to search; poll more often")
        if found:
            self._possible[after.place] = frozenset(renumbered(row, members) for row in found)
            return None
        staying = set(before.view.data_members) & set(after.view.data_members)
        apart, held = len({groups[one] for one in staying}), sum(one is not None for one in before.row.slots)
        if apart < len(staying) and (apart == 1 or apart < held):  # placement.7, placement.19
            raise GivenUpError("between two polls a group may have been split, or a slot emptied for lack of groups")
        version = "" if raises is None else f" and raise its version by {raises}"
        ended = [one for one, at_ms in self._ended.items() if before.view.at_ms <= at_ms <= after.view.at_ms]
        past = f"; {self.comparisons.scene.call_all(ended)} ended in between" if ended else ""
        running = f", while members {describe_members(after.view.data_members)} run{past}"
        return f"no edits of the specification ownership lead to this row from the one before{version}{running}"

    def _involved(self, before: _Look, after: _Look, possible: Iterable[Slots]) -> list[int]:
        """Return the members that may have had a slot between two polls, in the order of their numbers."""
        ran = {one for one, at_ms in self._owns_from.items() if at_ms <= after.view.at_ms}
        ended = {one for one, at_ms in self._ended.items() if at_ms < before.view.at_ms}
        shown = {one for row in (before.row.slots, after.row.slots, *possible) for one in row if one is not None}
        found = sorted((ran - ended) | shown)
        if len(found) > MEMBERS_MAX:
            most = f"{MEMBERS_MAX} members may have had a slot between two polls"
            raise GivenUpError(f"more than {most}, too many to search; poll more often")
        return found

    def _starts(self, look: _Look, slots: int, possible: Collection[Slots]) -> frozenset[Slots]:
        """Return the rows of at least `slots` slots that are possible at a poll; if nothing is known, all that fit the
        poll.

        Raises GivenUpError if too many rows are possible.
        """
        if possible:
            return frozenset((*row, *(None,) * (slots - len(row))) for row in possible)
        row, found = look.row.slots, set[Slots]()
        hidden = max(slots - len(row), 0)
        others = [one for one in look.view.data_members if one not in row]
        for tail in permutations((*others, *(None,) * hidden), hidden):
            found.add((*row, *tail))
            if len(found) > TAILS_MAX:
                most = f"{TAILS_MAX:,} ways to fill the slots that a member does not show"
                raise GivenUpError(f"there are more than {most}, too many to search")
        return frozenset(found)

    def _fate(self, member: int, before: _Look, after: _Look, starts: frozenset[Slots]) -> Lives:
        """Return the state of a member's life at the first of two polls, then its possible states until the second."""
        from_ms, to_ms = before.view.at_ms, after.view.at_ms
        is_new = self._owns_from.get(member, to_ms) > from_ms and not any(member in row for row in starts)
        may_leave = any(one.member == member and one.change is MemberChange.LEFT for one in self._comings)
        may_end = self._ended.get(member, to_ms + 1) <= to_ms
        may_be = {Life.ABSENT: is_new, Life.RUNNING: True, Life.LEAVING: may_leave, Life.GONE: may_end}
        return tuple(life for life in Life if may_be[life])


SENTENCE = "Whatever a member shows of a row next has come of edits that the specification ownership allows"
SOURCE = "table.10, placement.18, migration.2, migration.12, repair.3; invariant P1"
ALONE, VERSIONS = (partial(ShownRowsJudge, counts_versions=one) for one in (False, True))
OF_ROWS_ALONE = Property(
    "refines-ownership-rows", f"{SENTENCE}.", SOURCE, Severity.PROTOCOL, ALONE, OF_ROWS, (TWO_CLUSTERS,)
)
PROPERTY = replace(
    OF_ROWS_ALONE, name="refines-ownership-when-polled", sentence=f"{SENTENCE}, versions included.", start=VERSIONS
)
OF_SPECIFICATION = {one.name.removeprefix("refines-"): one for one in (*REFINEMENTS, OF_ROWS_ALONE)}
"""For each specification, the property that compares a trace with it."""
WITHOUT_STEPS: dict[str, Property] = {"ownership": PROPERTY}
"""For each specification, the property that compares it with a trace without protocol events, by the tables seen."""


@cache
def reached(
    starts: frozenset[Slots], fates: tuple[Lives, ...], groups: Members, shown: Slots, raises: int | None
) -> frozenset[Slots] | None:
    """Return the set of rows possible at the second poll (perhaps empty), or None if the search is too large.

    The rows possible at the first poll are `starts`. Members are numbered from 0: for each member, `fates` has its
    state at the first poll and then, in order, the states that it may be in until the second poll; `groups` has the
    first member of its group. `shown` are the slots shown at the second poll, whose version is higher by `raises` (None
    if no version is shown). A search that was too large is also kept as a result, since such a search takes longest.
    """
    most = UNVERSIONED_MAX if raises is None else raises
    if most > RAISES_MAX:
        return None
    layers: list[set[tuple[Slots, Lives]]] = [set() for _ in range(most + 1)]
    layers[0] = {(row, tuple(fate[0] for fate in fates)) for row in starts}
    found, to_look_at = set[Slots](), len(layers[0])
    for raised, layer in enumerate(layers):
        waiting = list(layer)
        while waiting:
            row, lives = waiting.pop()
            for member, fate in enumerate(fates):  # one member starts, asks to leave or ends
                later = {(row, _with(lives, member, life)) for life in fate[fate.index(lives[member]) + 1 :]} - layer
                layer |= later
                waiting.extend(later)
            for edit in edits_of(row, lives, groups):
                reaches = raised + edit.raises
                if reaches <= most and _distance(edit.row, shown) <= most - reaches:
                    after = edit.row, lives if edit.ended is None else _with(lives, edit.ended, Life.GONE)
                    if (edit.ended is None or Life.GONE in fates[edit.ended]) and after not in layers[reaches]:
                        layers[reaches].add(after)
                        to_look_at += raised < reaches
            if to_look_at > ROWS_MAX:
                return None
        if raises is None or raised == most:
            found.update(row for row, _ in layer if not _distance(row, shown))
    return frozenset(found)


def _with(lives: Lives, member: int, life: Life) -> Lives:
    return (*lives[:member], life, *lives[member + 1 :])


def _distance(row: Slots, shown: Slots) -> int:
    """Return in how many of the shown slots a row differs; edits have to raise the version by at least this number."""
    return sum(one != other for one, other in zip(row, shown, strict=False))


def renumbered(row: Slots, new: Mapping[int, int] | Sequence[int]) -> Slots:
    """Return a row with other numbers for its members."""
    return tuple(None if one is None else new[one] for one in row)


@cache
def edits_of(row: Slots, lives: Lives, groups: Members) -> tuple[Edit, ...]:
    """Return every edit that the specification allows, each effect only once; none if no member runs.

    The arguments are the holder of each slot of a partition, the state of each member, and the first member of each
    member's group.
    """
    if not any(life in RUNNING for life in lives):
        return ()
    # Members are renumbered by slot, then by state, so that most arrangements that differ only in names become equal.
    places = {member: slot for slot, member in enumerate(row)}
    old = sorted(range(len(lives)), key=lambda one: (places.get(one, len(row)), lives[one].name, groups[one]))
    new, named = {member: number for number, member in enumerate(old)}, [groups[one] for one in old]
    found = _edits_of(renumbered(row, new), tuple(lives[one] for one in old), tuple(map(named.index, named)))
    ended = {None: None} | dict(enumerate(old))
    return tuple(edit._replace(row=renumbered(edit.row, old), ended=ended[edit.ended]) for edit in found)


@cache
def _edits_of(row: Slots, lives: Lives, groups: Members) -> tuple[Edit, ...]:
    """Return the edits of a row whose members have their new numbers.

    Every master makes the same edits, with one exception: the promotion of the master itself cannot fail while it
    stays. So a member that is not promoted is taken as the master, if there is one.
    """
    running = [member for member, life in enumerate(lives) if life in RUNNING]
    promoted = next((one for one in row if one in running), None)
    master = next((one for one in running if one != promoted), running[0])
    runner = _runner_of(max(len(lives), 2), len(row))
    found: dict[Edit, None] = {}
    for after in _edited(runner, _state_of(runner, row, lives, groups, master), master):
        ended = next((one for one in running if after["ended"][one]), None)
        found.setdefault(Edit(after["row"][master], after["version"][master] - BEGIN, ended))
    return tuple(found)


def _edited(runner: Runner, state: State, master: int) -> Iterator[State]:
    """Yield the state after each edit of a master: after all actions of the edit in order, or after its failure."""
    for event in runner.events(state, BEGUN_BY):
        after = ordered = runner.step(state, event)
        for action in ENDED_BY:  # each action is one of at most one member
            after = next((runner.step(after, one) for one in runner.events(after, (action,))), after)
        yield after
        target = ordered["promotion"][master]
        if target not in (None, master):  # the target ends before it has answered
            for end in (Event("member_ends", (target,)), Event("ended_member_is_removed", (master, target))):
                ordered = runner.step(ordered, end)
        yield from (runner.step(ordered, one) for one in runner.events(ordered, FAILING))


@cache
def _runner_of(members: int, slots: int) -> Runner:
    plenty = dict.fromkeys(("endings", "orders", "failures", "versions"), PLENTY)
    return Runner(specification.world(members=members, backups=slots - 1, **plenty))


def _state_of(runner: Runner, row: Slots, lives: Lives, groups: Members, master: int) -> State:
    """Return the state in which every running member has this row, and nothing is under way."""
    count = len(runner.start["row"])
    lives = (*lives, *(Life.ABSENT,) * (count - len(lives)))
    runs = tuple(life in RUNNING for life in lives)
    listed = [member for member in range(count) if runs[member]]
    places = tuple(listed.index(member) if runs[member] else None for member in range(count))
    return runner.start.replaced(
        {
            "role": tuple(Role.ABSENT if life is Life.ABSENT else Role.DATA for life in lives),
            "group": (*groups, *range(len(groups), count)),
            "ended": tuple(life is Life.GONE for life in lives),
            "leaving": tuple(life is Life.LEAVING for life in lives),
            "rank": tuple(places if one else (None,) * count for one in runs),
            "follows": tuple(master if one else None for one in runs),
            "row": tuple(row if one else (None,) * len(row) for one in runs),
            "version": tuple(BEGIN if one else 0 for one in runs),
            "holds": tuple(one and member in row for member, one in enumerate(runs)),
        }
    )
