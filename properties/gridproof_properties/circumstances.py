"""What happened in a simulated run, and what is owed all the same.

The documents promise much less under faults than without, and a judge must not hold a grid to what nobody promised
(reference replication 11, N1 to N14; bug-zoo 6). What befell a run is read off its records; each property names what
takes its promise away, and where that is said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Flag, auto

from gridproof_implementation.simulator.fault import Harm
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.event_details import read_details
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.verdict import PromiseLevel


class Event(Flag):
    """What can befall a run."""

    NONE = 0
    LOSS = auto()
    """A member crashed."""
    FALSE_REMOVAL = auto()
    """A member that lived was taken for dead, and the cluster fell apart."""
    CHANGE = auto()
    """A member came or went while clients were at work, so that partitions migrated."""
    REPEATS = auto()
    """Messages arrived twice."""
    BACKUPS_LOST = auto()
    """Messages were lost, or a backup failed to apply them."""


@dataclass(frozen=True, slots=True)
class Excuse:
    """What takes the promise of one property away."""

    events: Event
    source: str


EXCUSES: Mapping[str, Excuse] = {
    "equal-version-equal-row": Excuse(
        Event.FALSE_REMOVAL, "reference replication 11 G2: of one cluster, and there were two"
    ),
    "version-never-decreases": Excuse(Event.NONE, "reference replication 11 G2"),
    "one-replica-per-member": Excuse(Event.NONE, "reference replication 11 G1"),
    "no-lite-owner": Excuse(Event.NONE, "seed: Lite Members"),
    "group-separation": Excuse(Event.NONE, "seed: Partition Group Configuration"),
    "full-rows": Excuse(Event.NONE, "reference partitioning 9 T2"),
    "views-agree": Excuse(Event.NONE, "reference replication 11 L2"),
    "acknowledged-write-kept": Excuse(Event.FALSE_REMOVAL | Event.REPEATS, "reference replication 11 N5, N7"),
    "reads-see-acknowledged-writes": Excuse(
        Event.LOSS | Event.FALSE_REMOVAL | Event.CHANGE | Event.REPEATS, "reference replication 11 N1, N6"
    ),
    "backups-converge": Excuse(
        Event.LOSS | Event.FALSE_REMOVAL | Event.REPEATS, "reference replication 11 N10: counters, not contents"
    ),
    "no-orphan": Excuse(Event.NONE, "reference partitioning 9 M8"),
    "comes-to-rest": Excuse(Event.NONE, "reference replication 11 L1, L2, L4, L5"),
}
"""Every property that simulated runs are held to; `NONE` where nothing takes its promise away."""

ENDING = ("anti-entropy still", "at rest", "revealed")
"""Beginnings of the stages after the last client."""
_REMOVED = "member-removed"
STEPS_JUDGED = frozenset({_REMOVED})
"""The steps of the protocol that have to be in the records."""


@dataclass(slots=True)
class Witness:
    """Watches the records of a run for what befell it."""

    scenario: Scenario
    events: Event = Event.NONE
    _alive: set[int] = field(default_factory=set)
    _begun: bool = False
    """Whether clients may be at work: crashes of the reveal, at rest, take nothing away."""

    def __post_init__(self) -> None:
        harm = Harm.NONE
        for strike in self.scenario.strikes():
            harm |= FAULTS_BY_NAME[strike.fault].harm
        if Harm.REPEATS in harm:
            self.events |= Event.REPEATS
        if harm & (Harm.MESSAGES | Harm.REFUSALS):
            self.events |= Event.BACKUPS_LOST

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case MemberRecord(change=MemberChange.JOINED):
                self._alive.add(record.member)
                self._changed()
            case MemberRecord():
                self._alive.discard(record.member)
                self._changed()
                if record.change is MemberChange.CRASHED and self._begun:
                    self.events |= Event.LOSS
            case EventRecord(name=name) if name == _REMOVED:
                gone = read_details(record.detail).get("member", "")
                if gone.isdecimal() and int(gone) in self._alive:
                    self.events |= Event.FALSE_REMOVAL
            case EventRecord(name="settled" | "unsettled"):
                self._begun = not record.detail.startswith(ENDING)
            case _:
                pass

    def promises(self) -> Mapping[str, PromiseLevel]:
        """Return what is owed after what happened."""
        return {
            name: PromiseLevel.WEAKNESS if excuse.events & self.events else PromiseLevel.PROMISED
            for name, excuse in EXCUSES.items()
        }

    def _changed(self) -> None:
        if self._begun:
            self.events |= Event.CHANGE
