"""No step occurs without the step that leads to it, and a member that starts joins the cluster that exists.

If a step answers another step, of the same member or of another, the other step comes first in the records: the order
before the promotion, the commit of a migration before its end, the master's permission before a leaver's end. The
judges need all steps in the records, and memory for each migration, promotion, claim, sync and leave.

A member that finds a cluster joins it. A member founds a cluster of its own only if there is none, or if, while it
looked for one, messages were lost or living members could be taken for dead. If two clusters exist although one would
do, clients of both write the same keys until the clusters merge minutes later.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields
from typing import assert_never

from gridproof_model.events import NAMES
from gridproof_model.events.anti_entropy import SyncInstalled, SyncRequested
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    ClusterFounded,
    MastershipClaimed,
    MemberListInstalled,
)
from gridproof_model.events.migration import (
    CommitOrdered,
    MigrationCommitted,
    MigrationCopied,
    MigrationEnded,
    MigrationFinished,
    MigrationOpened,
    MigrationOrdered,
    MigrationRefused,
)
from gridproof_model.events.partitioning import (
    Promoted,
    PromotionOrdered,
    RowInstalled,
    ShutdownAnswered,
    ShutdownEnded,
    TablePublished,
)
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import FoundByMaster, MigrationOutcome, WhyLeaverGoes, WhyPublished, WhyRowChanged
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Property, Severity, StepJudge

Founding = ClusterFounded | MemberListInstalled | FaultBegun | FaultEnded
HIDING = frozenset({"messages", "trust", "connections", "freezes"})
"""The kinds of harm by which a fault can keep a member from finding a cluster, or from joining it."""
LOOKING_MS = 60_000
"""How long a fault that hides a cluster misleads a member after its end: until a silent member counts as dead."""
HIDDEN = ("messages were lost, or living members seemed dead", "chapter keys, table.3, limits.11")


@dataclass(slots=True)
class _FoundingJudge(StepJudge):
    COUNTED = "{failed} of {compared:start} led to a second cluster beside the one that was there"
    UNSEEN = "no member started while there was a cluster"
    FORGETS = ("joined",)
    joined: set[int] = field(default_factory=set)
    """The living members that are in a cluster."""
    at_work: list[str] = field(default_factory=list)
    """The faults in effect that can hide a cluster from a member, in words."""
    hidden_until_ms: int = -LOOKING_MS

    def look(self, record: EventRecord, event: Founding) -> str | None:
        match event:
            case FaultBegun(harms=harms, words=words):
                if HIDING.intersection(harms):
                    self.at_work.append(words)
            case FaultEnded(words=words):
                if words in self.at_work:
                    self.at_work.remove(words)
                    self.hidden_until_ms = record.at_ms
            case MemberListInstalled():
                self._joins(record)
            case ClusterFounded():
                return self._founds(record)
            case _:
                assert_never(event)
        return None

    def _joins(self, record: EventRecord) -> None:
        """Compare the step of a member that joins an existing cluster: it might have founded a second cluster."""
        assert record.member is not None
        self.looked += record.member not in self.joined and bool(self.joined)
        self.joined.add(record.member)

    def _founds(self, record: EventRecord) -> str | None:
        if not self.joined:
            return None
        there = "it was in the cluster" if record.member in self.joined else "there was a cluster"
        story = f"member {record.member} founded a cluster of its own, though {there} of members {sorted(self.joined)}"
        story += "; a member may found a cluster only if there is none"
        if self.at_work or record.at_ms - self.hidden_until_ms < LOOKING_MS:
            self.comparisons.add(None, record.at_ms, record.at_ms, (story,), HIDDEN)
            return None
        return story


JOINS_A_CLUSTER = Property(
    name="joins-a-cluster",
    sentence="A member that starts joins the cluster that is there, and founds none of its own.",
    source="members.7; defect HZ-80",
    severity=Severity.PROTOCOL,
    start=_FoundingJudge,
)


Moving = MigrationOrdered | MigrationOpened | MigrationCopied | CommitOrdered | MigrationCommitted
Ending = MigrationRefused | MigrationEnded | MigrationFinished
Leaving = ShutdownAnswered | ShutdownEnded
Claiming = ClaimBegun | ClaimGranted | MastershipClaimed
Linked = Moving | Ending | PromotionOrdered | Promoted | Leaving | Claiming | SyncRequested | SyncInstalled
BEFORE: dict[type[TraceEvent], type[TraceEvent]] = {
    MigrationOpened: MigrationOrdered,
    MigrationCopied: MigrationOpened,
    CommitOrdered: MigrationCopied,
    MigrationCommitted: CommitOrdered,
    MigrationEnded: MigrationCommitted,
    MigrationFinished: MigrationCommitted,
    Promoted: PromotionOrdered,
    ClaimGranted: ClaimBegun,
    MastershipClaimed: ClaimBegun,
    ShutdownEnded: ShutdownAnswered,
    SyncInstalled: SyncRequested,
}
"""For each type of step, the type of step about the same subject that has to come before it."""


@dataclass(slots=True)
class _OriginJudge(StepJudge):
    COUNTED = "{failed} of {compared:step} came without the step that has to come before"
    HELD = "{all} {compared:step} came after the steps that have to precede them"
    UNSEEN = "no step was recorded before which another one has to come"
    seen: set[tuple[type[TraceEvent], Hashable]] = field(default_factory=set)
    """The steps seen so far, each with its subject."""

    def look(self, record: EventRecord, event: Linked) -> str | None:
        story, before = None, _before(event)
        for subject in _subjects(record.member, event):
            if before is not None:
                self.looked += 1
                if (before, subject) not in self.seen:
                    said = ", ".join(
                        f"{one.name.replace('_', ' ')} {getattr(event, one.name)}" for one in fields(event)
                    )
                    story = (
                        f"member {record.member} recorded the step '{NAMES[type(event)]}' ({said}), though no step "
                        f"'{NAMES[before]}' of this {_noun(event)} had been recorded before; each step "
                        f"'{NAMES[type(event)]}' has to follow such a step"
                    )
            self.seen.add((type(event), subject))
        return story


def _before(event: Linked) -> type[TraceEvent] | None:
    """Return the type of step that has to come before a step; None if no step has to."""
    if isinstance(event, MigrationEnded) and event.outcome is not MigrationOutcome.SUCCESS:
        return None if event.reason in frozenset(FoundByMaster) else MigrationRefused
    return BEFORE.get(type(event))


def _noun(event: Linked) -> str:
    """Return a noun for what both a step and the step that has to come before it are about."""
    match event:
        case PromotionOrdered() | Promoted():
            return "promotion"
        case ClaimBegun() | ClaimGranted() | MastershipClaimed():
            return "claim to be master"
        case ShutdownAnswered() | ShutdownEnded():
            return "leaver"
        case SyncRequested() | SyncInstalled():
            return "sync"
        case _:
            return "migration"


def _subjects(member: int | None, event: Linked) -> Iterable[Hashable]:
    """Return the subjects of a step, as the step before it names them; empty if no step has to come before it."""
    match event:
        case MigrationFinished():
            return [(event.master, event.number, event.partition)] if event.outcome is MigrationOutcome.SUCCESS else []
        case MigrationEnded() | MigrationRefused() | MigrationOrdered() | MigrationOpened() | MigrationCopied():
            return [(event.master, event.number, event.partition)]
        case CommitOrdered() | MigrationCommitted():
            return [(event.master, event.number, event.partition)]
        case PromotionOrdered(partition=partition, destination=destination):
            return [(destination, partition)]
        case Promoted(partition=partition):
            return [(member, partition)]
        case ClaimBegun() | MastershipClaimed():
            return [member]
        case ClaimGranted(candidate=candidate):
            return [candidate]
        case ShutdownAnswered(leaver=leaver):
            return [leaver]
        case ShutdownEnded(why=why):
            return [member] if why is WhyLeaverGoes.ANSWERED else []
        case SyncRequested(partition=partition, index=index, namespaces=namespaces):
            return [(member, partition, index, namespace) for namespace in namespaces]
        case SyncInstalled(partition=partition, index=index, namespace=namespace):
            return [(member, partition, index, namespace)]
        case _:
            assert_never(event)


@dataclass(slots=True)
class _ArrangementJudge(StepJudge):
    COUNTED = "{failed} of {compared:first table} came from a member that had not arranged it in the same step"
    HELD = "{all} {compared:publication} of a first table came from the member that arranged it in the same step"
    UNSEEN = "no member published a first table"
    arranged_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last filled a row because it arranged the first table."""

    def look(self, record: EventRecord, event: RowInstalled | TablePublished) -> str | None:
        match event:
            case RowInstalled(why=why):
                if why is WhyRowChanged.ARRANGED:
                    self.arranged_ms[record.member] = record.at_ms
                return None
            case TablePublished(why=why):
                if why is not WhyPublished.ARRANGED:
                    return None
                self.looked += 1
                if self.arranged_ms.get(record.member) == record.at_ms:
                    return None
                latest = self.arranged_ms.get(record.member)
                when = "never arranged one" if latest is None else f"last arranged one at {latest:,} ms"
                may = "only a member that has arranged the first table in the same step may publish it"
                return f"member {record.member} published a first table, though it had {when}; {may}"
            case _:
                assert_never(event)


FIRST_TABLE_IS_ARRANGED = Property(
    name="first-table-is-arranged",
    sentence="Only a member that has just made a first arrangement publishes a table as one.",
    source="table.10",
    severity=Severity.PROTOCOL,
    start=_ArrangementJudge,
)
STEPS_HAVE_ORIGINS = Property(
    name="steps-have-origins",
    sentence="A step that answers another member's step, or follows an own one, is recorded after that step.",
    source="migration.5, migration.12, repair.3, leaving.1, sync.8, members.19",
    severity=Severity.PROTOCOL,
    start=_OriginJudge,
)


PROPERTIES: tuple[Property, ...] = (JOINS_A_CLUSTER, STEPS_HAVE_ORIGINS, FIRST_TABLE_IS_ARRANGED)
