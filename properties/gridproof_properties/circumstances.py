"""What happened in a run, and what is owed.

The documents promise much less under faults than without, and a judge must not hold a grid to what nobody promised
(reference replication 11, N1 to N14; bug-zoo 6). What befell a run is read off its records; each property names what
takes its promise away, and where that is said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto

from gridproof_implementation.simulator.fault import Harm
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.event_details import read_details
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE, STALE_READ_DISABLED
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.verdict import PromiseLevel


class Event(Flag):
    """What can befall a run."""

    NONE = 0
    LOSS = auto()
    """A member crashed."""
    FALSE_REMOVAL = auto()
    """A member that lived was taken for dead, or a second cluster was founded, beside the first or after its end."""
    CHANGE = auto()
    """A member came or went while clients were at work, so that partitions migrated."""
    REPEATS = auto()
    """Messages arrived twice."""
    MESSAGES_LOST = auto()
    """Messages were lost, or a backup failed to apply them."""
    EARLY_CALLS = auto()
    """Clients began before partitions were arranged: a first backup can overtake the table (bug-zoo HZ-19)."""
    FREEZING = auto()
    """The cluster state forbade promotions or migrations for a while (reference partitioning 5.7)."""
    RETRIES = auto()
    """Connections broke, so that calls were sent again."""
    EMPTIED = auto()
    """The last member that had started as a data member left: there was nobody whom it owed its data."""
    NOT_STRICT = auto()
    """Calls whose state is indeterminate do not fail (seed: IndeterminateOperationStateException)."""
    STALE_READS = auto()
    """Reads are served while a partition migrates (reference replication 12 S11)."""


@dataclass(frozen=True, slots=True)
class Excuse:
    """One thing that takes the promise of a property away."""

    events: Event
    """Any of them does."""
    source: str
    only_with: Event | None = None
    """But only where this is so, too."""

    def holds(self, happened: Event) -> bool:
        """Whether it counts after what happened."""
        return bool(self.events & happened) and (self.only_with is None or bool(self.only_with & happened))


_SPLIT = Event.FALSE_REMOVAL
_MOVED = Event.LOSS | Event.CHANGE
"""Owners of partitions changed, so that calls were sent again."""
_TWICE = _SPLIT | Event.REPEATS | Event.RETRIES
"""An operation may be executed twice even where calls fail that are indeterminate."""
_UNDIVIDED = Excuse(_SPLIT | Event.REPEATS, "reference replication 11 N5, N7")
_KEPT = (
    _UNDIVIDED,
    # Who comes back to a frozen cluster finds its slots as they were and empty; who leaves it hands nothing over.
    Excuse(_MOVED, "reference partitioning 5.7; reference replication 12 S16", only_with=Event.FREEZING),
)
"""What takes away that an acknowledged change is kept."""

EXCUSES: Mapping[str, Sequence[Excuse]] = {
    "comes-to-rest": (),
    "one-replica-per-member": (),
    "no-lite-owner": (),
    "group-separation": (),
    "full-rows": (),
    "version-never-decreases": (),
    "equal-version-equal-row": (Excuse(_SPLIT, "reference replication 11 G2: of one cluster, and there were two"),),
    "views-agree": (),
    "no-orphan": (),
    "backups-converge": (Excuse(Event.LOSS | _SPLIT | Event.REPEATS, "reference replication 11 N10"),),
    "copies-equal-without-anti-entropy": (
        Excuse(
            _MOVED | _SPLIT | Event.REPEATS | Event.RETRIES, "reference replication 12 S6, S11: backups are refused"
        ),
        Excuse(Event.MESSAGES_LOST | Event.EARLY_CALLS, "reference replication 3.2: this is what anti-entropy is for"),
    ),
    "acknowledged-write-kept": _KEPT,
    "reads-see-acknowledged-writes": (
        *_KEPT,
        Excuse(_MOVED, "reference replication 11 N6", only_with=Event.STALE_READS),
    ),
    "acknowledged-append-kept": _KEPT,
    "append-executed-once": (
        Excuse(_TWICE, "reference replication 9: duplicate execution"),
        Excuse(_MOVED, "reference replication 11 N2", only_with=Event.NOT_STRICT),
    ),
    "exactly-once-when-strict": (
        Excuse(Event.NOT_STRICT, "reference replication 11 N2"),
        Excuse(_TWICE, "reference replication 9: duplicate execution"),
        *_KEPT,  # what is lost with its copies is there no time at all
    ),
    "append-order-kept": _KEPT,
    "appended-by-somebody": (),
    "acknowledged-addition-kept": _KEPT,
    "addition-executed-once": (
        Excuse(_TWICE, "reference replication 9: duplicate execution"),
        Excuse(Event.LOSS, "reference replication 5: operation transfer diverges"),
        Excuse(
            Event.EARLY_CALLS | Event.MESSAGES_LOST,
            "reference replication 5: what a sync after a gap has brought comes once more",
        ),
        Excuse(_MOVED, "reference replication 11 N2", only_with=Event.NOT_STRICT),
    ),
    "acknowledged-offer-kept": (
        *_KEPT,
        Excuse(Event.RETRIES, "reference replication 12 S19: a retried poll loses a value"),
        Excuse(_MOVED, "reference replication 12 S19", only_with=Event.NOT_STRICT),
    ),
    "offer-polled-once": (
        Excuse(_TWICE, "reference replication 12 S19: a retried offer is there twice"),
        Excuse(_MOVED, "reference replication 12 S19", only_with=Event.NOT_STRICT),
    ),
    "queue-order-kept": _KEPT,
    "polled-was-offered": (),
    "lock-excludes": _KEPT,
    "held-as-often-as-taken": (_UNDIVIDED,),
    "monotonic-reads": (
        Excuse(_MOVED | _SPLIT | Event.REPEATS, "reference replication 11 N6: not across failover or migration"),
        Excuse(Event.RETRIES, "reference replication 11 N2: an older write runs again", only_with=Event.NOT_STRICT),
    ),
    "read-your-writes": (
        *_KEPT,
        Excuse(_MOVED, "reference replication 11 N6: freshness during migration", only_with=Event.STALE_READS),
    ),
    "read-was-written": (),
    "no-dirty-read": (
        Excuse(Event.LOSS | _SPLIT | Event.REPEATS, "reference replication 11 N4, N5"),
        Excuse(Event.EMPTIED, "reference replication 11 G18; reference partitioning 9 F4"),
        Excuse(Event.CHANGE, "reference partitioning 5.7: a passive cluster hands nothing over", Event.FREEZING),
    ),
    "job-totals-right": (),
    "confirmed-job-completes": _KEPT,
    "calls-end-once": (),
    "migrations-end-once": (),
    "leaves-end": (),
    "nothing-changes-while-it-moves": (),
    "lowest-survivor-promoted": (),
    "loss-told-exactly": (),
    "tables-from-the-master": (),
    "member-lists-agree": (),
    "rows-never-diverge": (Excuse(_SPLIT, "reference replication 11 G2: of one cluster, and there were two"),),
    "backup-never-goes-back": (),
    "one-outcome": (Excuse(_SPLIT | Event.LOSS, "reference partitioning 4.4: who committed dies before it is known"),),
    "still-when-frozen": (),
    "failure-raises-the-version": (Excuse(_SPLIT, "reference replication 11 G2: two masters number migrations"),),
    "strict-means-copies": (
        Excuse(Event.REPEATS, "reference replication 9: a request that came twice is answered by its second execution"),
    ),
    "no-needless-sync": (),
    "acknowledged-by-its-backups": (),
    "answered-by-its-target": (),
    "refines-replication": (Excuse(Event.REPEATS, "the links of the specification repeat nothing"),),
    "refines-invocation": (Excuse(Event.REPEATS, "the links of the specification repeat nothing"),),
    "refines-ownership": (),
    "refines-ownership-of-rows": (),
    "refines-snapshot": (),
}
"""Every property that simulated runs are held to, and what takes its promise away."""

ENDING = ("anti-entropy still", "at rest", "revealed")
"""Beginnings of the stages after the last client."""
_REMOVED, _FOUNDED = "member-removed", "cluster-founded"
STEPS_JUDGED = frozenset({_REMOVED, _FOUNDED})
"""The steps of the protocol that have to be in the records."""


@dataclass(slots=True)
class Witness:
    """Watches the records of a run for what befell it."""

    scenario: Scenario
    events: Event = Event.NONE
    _alive: set[int] = field(default_factory=set)
    _data: set[int] = field(default_factory=set)
    """Who lives and started as a data member."""
    _clusters: int = 0
    _begun: bool = False
    """Whether clients may be at work: crashes of the reveal, at rest, take nothing away."""

    def __post_init__(self) -> None:
        harm = Harm.NONE
        for strike in self.scenario.strikes():
            harm |= FAULTS_BY_NAME[strike.fault].harm
        if Harm.REPEATS in harm:
            self.events |= Event.REPEATS
        if harm & (Harm.MESSAGES | Harm.REFUSALS):
            self.events |= Event.MESSAGES_LOST
        if not self.scenario.arranged:
            self.events |= Event.EARLY_CALLS
        if Harm.FREEZES in harm:
            self.events |= Event.FREEZING
        if Harm.CONNECTIONS in harm:
            self.events |= Event.RETRIES
        properties = self.scenario.config().properties
        if not properties.get(FAIL_ON_INDETERMINATE_STATE):
            self.events |= Event.NOT_STRICT
        if not properties.get(STALE_READ_DISABLED):
            self.events |= Event.STALE_READS

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case MemberRecord(change=MemberChange.JOINED):
                self._alive.add(record.member)
                if not record.lite:
                    self._data.add(record.member)
                self._changed()
            case MemberRecord():
                self._alive.discard(record.member)
                if self._data == {record.member}:
                    self.events |= Event.EMPTIED
                self._data.discard(record.member)
                self._changed()
                if record.change is MemberChange.CRASHED and self._begun:
                    self.events |= Event.LOSS
            case EventRecord(name=name) if name == _REMOVED:
                gone = read_details(record.detail).get("member", "")
                if gone.isdecimal() and int(gone) in self._alive:
                    self.events |= Event.FALSE_REMOVAL
            case EventRecord(name=name) if name == _FOUNDED:
                self._clusters += 1
                if self._clusters > 1:
                    self.events |= Event.FALSE_REMOVAL
            case EventRecord(name="settled" | "unsettled"):
                self._begun = not record.detail.startswith(ENDING)
            case _:
                pass

    def promises(self) -> Mapping[str, PromiseLevel]:
        """Return what is owed after what happened."""
        return {
            name: PromiseLevel.WEAKNESS if any(e.holds(self.events) for e in excuses) else PromiseLevel.PROMISED
            for name, excuses in EXCUSES.items()
        }

    def _changed(self) -> None:
        if self._begun:
            self.events |= Event.CHANGE
