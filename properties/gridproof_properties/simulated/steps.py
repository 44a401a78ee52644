"""What must hold at every step, not only at rest.

Anti-entropy hides most bugs of replication before anybody looks (bug-zoo 2, rule 1), so these judges read the steps of
the protocol itself. They need every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import read_list
from gridproof_model.trace import EventRecord
from gridproof_properties.causes import Cause
from gridproof_properties.judge import Limit, Property
from gridproof_properties.step_judge import StepJudge, Told

ROW_DIVERGED = "row-diverged"
BACKUP_APPLIED = "backup-applied"
REPLACED = frozenset({"fragment-installed", "sync-installed"})
"""Steps after which a replica is as its primary was."""
RESETS = frozenset({"replica-kept", "replica-promoted", "structure-destroyed"})
"""Steps after which a replica may begin anywhere."""
COMPARED = "summary-compared"
"""After it a backup has only what its primary named (reference replication 11 L6)."""
FINISHED, ORDERED, FETCHED = "migration-finished", "migration-ordered", "rows-fetched"
STATE_CHANGED, ROW_INSTALLED = "cluster-state-changed", "row-installed"
STILL = ("frozen", "passive")
"""Cluster states in which nobody changes a row of its own accord (reference partitioning 5.7)."""
WATCHED = (
    REPLACED
    | RESETS
    | {COMPARED, ROW_DIVERGED, BACKUP_APPLIED, FINISHED, ORDERED, FETCHED, STATE_CHANGED, ROW_INSTALLED}
)
TOLD = ("received", "returned", "fetched", "completed")
"""Why a row may change all the same: somebody changed it before, or a missing member came back."""


@dataclass(slots=True)
class _DivergenceJudge(StepJudge):
    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({ROW_INSTALLED, ROW_DIVERGED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        self.looked += event.name == ROW_INSTALLED
        if event.name != ROW_DIVERGED:
            return None
        return (
            f"member {event.member} has {told['own']} and hears of {told['received']}, "
            f"both as version {told['version']} of partition {told['partition']}"
        )


@dataclass(slots=True)
class _BackwardsJudge(StepJudge):
    _versions: dict[tuple[int | None, str, str, str], int] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[str]:
        return REPLACED | RESETS | {BACKUP_APPLIED, COMPARED}

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name in RESETS or event.name == COMPARED:
            self._forget(event, told)
            return None
        place = (event.member, told["partition"], told["namespace"], told["index"])
        if event.name in REPLACED:
            self._versions[place] = int(read_list(told["versions"])[int(told["index"]) - 1])
            return None
        self.looked += 1
        version, before = int(told["version"]), self._versions.get(place, 0)
        self._versions[place] = version
        if version >= before:
            return None
        return f"member {event.member} applies version {version} of partition {place[1]} and had {before}"

    def _forget(self, event: EventRecord, told: Told) -> None:
        """Forget what a member dropped of a partition; where a reset names none, of all."""
        partition, named = told.get("partition"), told["versions"] if event.name == COMPARED else ""
        gone = [
            key
            for key in self._versions
            if key[0] == event.member and partition in (None, key[1]) and f"[{key[2]}," not in named
        ]
        for key in gone:
            del self._versions[key]


@dataclass(slots=True)
class _OutcomeJudge(StepJudge):
    _outcomes: dict[tuple[str, str], str] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({FINISHED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        self.looked += 1
        first = self._outcomes.setdefault((told["master"], told["number"]), told["outcome"])
        if first == told["outcome"]:
            return None
        return f"member {event.member} ends migration {told['number']} as {told['outcome']}, and another as {first}"


@dataclass(slots=True)
class _FailureJudge(StepJudge):
    _ordered: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The latest migration of a number: its partition and initial version."""
    _rows: dict[tuple[int | None, str], int] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({ROW_INSTALLED, ORDERED, FETCHED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == ROW_INSTALLED:
            self._rows[event.member, told["partition"]] = int(told["version"])
        elif event.name == ORDERED:
            self._ordered[told["number"]] = (told["partition"], int(told["initial_version"]))
        else:
            self.looked += 1
            stories = [self._look_at(event.member, number) for number in read_list(told["failed"])]
            return next((story for story in stories if story is not None), None)
        return None

    def _look_at(self, master: int | None, number: str) -> str | None:
        """Look at one migration that a new master takes for failed; its order is the last of that number."""
        if number not in self._ordered:
            return None
        partition, initial = self._ordered[number]
        version = self._rows.get((master, partition), 0)
        if version > initial:
            return None
        return f"member {master} takes migration {number} for failed, and leaves partition {partition} at {version}"


@dataclass(slots=True)
class _StillnessJudge(StepJudge):
    _states: dict[int | None, str] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({STATE_CHANGED, ROW_INSTALLED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == STATE_CHANGED:
            self._states[event.member] = told["state"]
        if event.name != ROW_INSTALLED or self._states.get(event.member) not in STILL:
            return None
        self.looked += 1
        if told["why"] in TOLD:
            return None
        return f"member {event.member} changes partition {told['partition']} ({told['why']}) while nothing may change"


TWO_CLUSTERS = (Limit(Cause.REMOVED_ALIVE, "reference replication 11 G2: of one cluster, and there were two"),)
ROWS_NEVER_DIVERGE = Property(
    name="rows-never-diverge",
    sentence="No member ever hears of another row under the version that its own row has.",
    source="reference partitioning 9 T8; bug-zoo T3",
    start=_DivergenceJudge,
    limits=TWO_CLUSTERS,
)
BACKUP_NEVER_GOES_BACK = Property(
    name="backup-never-goes-back",
    sentence="A backup applies no update older than what it has, unless its replica was replaced.",
    source="reference replication 2.4; bug-zoo R2",
    start=_BackwardsJudge,
)
ONE_OUTCOME = Property(
    name="one-outcome",
    sentence="Everybody who takes part in a migration ends it in the same way.",
    source="reference partitioning 9 M3; bug-zoo M1",
    start=_OutcomeJudge,
    limits=(
        *TWO_CLUSTERS,
        Limit(Cause.COPY_ENDED, "reference partitioning 4.4: who committed dies before it is known"),
    ),
)
STILL_WHEN_FROZEN = Property(
    name="still-when-frozen",
    sentence="Nobody changes a row of its own accord while the cluster is frozen or passive.",
    source="reference partitioning 5.7; bug-zoo A8",
    start=_StillnessJudge,
)
FAILURE_RAISES_THE_VERSION = Property(
    name="failure-raises-the-version",
    sentence="A new master raises a row above the version from which a failed migration of it began.",
    source="reference partitioning 2.9, point 7; bug-zoo T3",
    start=_FailureJudge,
    limits=TWO_CLUSTERS,
)
PROPERTIES: tuple[Property, ...] = (
    ROWS_NEVER_DIVERGE,
    BACKUP_NEVER_GOES_BACK,
    ONE_OUTCOME,
    STILL_WHEN_FROZEN,
    FAILURE_RAISES_THE_VERSION,
)
