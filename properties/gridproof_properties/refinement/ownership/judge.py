"""Each migration is a behaviour of `ownership`."""

from collections import Counter
from collections.abc import Callable

from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.refinement.behaviour import Onlooker, RefusedStepError
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.ownership.differences import MASTER_GONE
from gridproof_properties.refinement.ownership.follower import DONE, Follower, Versions, behaviour_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Step

NOTES = frozenset(DONE) | {
    "member-list-installed",
    "member-removed",
    "migration-ended",
    "migration-ordered",
    "row-installed",
    "shutdown-requested",
}
"""What is read of a run."""
Deed = Callable[[Follower], None]


class OwnershipJudge:
    """Gives each note to the migration it concerns."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._scene = Scene()
        self._versions: Versions = {}
        self._followers: dict[tuple[int, int], Follower] = {}
        """By master and its number of the migration."""
        self._differences: Counter[str] = Counter()
        self.followed = Followed("ownership", self._differences)

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        if isinstance(record, MemberRecord):
            self._scene.member_changed(record)
            if record.change is not MemberChange.JOINED:
                self._master_ended(record.member)
        elif isinstance(record, EventRecord) and record.name in NOTES and record.member is not None:
            self._take(Step.of(record))

    def watched(self) -> frozenset[str]:
        """Return the names of the steps that are read."""
        return NOTES

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        for follower in list(self._followers.values()):
            self._forget(follower)
        return self.followed.finding()

    def _take(self, step: Step) -> None:
        match step.name:
            case "member-list-installed":
                self._scene.list_installed(step)
            case "member-removed":
                self._scene.removed(step.member, step.number("member"))
            case "row-installed":
                for follower in list(self._followers.values()):
                    if follower.partition == step.number("partition"):
                        self._let(follower, lambda one: one.row_installed(step))
                self._scene.row_installed(step)
                self._versions[step.member, step.number("partition")] = step.number("version")
            case "shutdown-requested":
                self._scene.leaving.add(step.member)
            case "migration-ordered":
                self._begin(step)
            case _:
                follower_or_none = self._followers.get((step.number("master"), step.number("number")))
                if follower_or_none is not None:
                    self._let(follower_or_none, lambda one: self._show(one, step))

    def _show(self, follower: Follower, step: Step) -> None:
        if step.name == "migration-ended":
            follower.ended(step)
            self._forget(follower)
        else:
            follower.took_part(step)

    def _begin(self, step: Step) -> None:
        behaviour = behaviour_of(self._scene, step, self._differences)
        behaviour.onlooker = self._onlooker
        place = (step.number("master"), step.number("number"))
        try:
            self._followers[place] = Follower(behaviour, self._scene, self._versions, step)
        except RefusedStepError as refused:
            self.followed.refused.append((place, refused))

    def _master_ended(self, member: int) -> None:
        for follower in list(self._followers.values()):
            if follower.master == member:
                self._differences[MASTER_GONE.name] += 1
                self._forget(follower)

    def _let(self, follower: Follower, deed: Deed) -> None:
        if not self.followed.goes_on(follower.place, lambda: deed(follower)):
            self._forget(follower)

    def _forget(self, follower: Follower) -> None:
        if self._followers.pop(follower.place, None) is not None:
            self.followed.count(follower.behaviour)


PROPERTY = Property(
    "refines-ownership",
    "What master, primary and destination do with a migration is a behaviour of the specification `ownership`.",
    "reference partitioning 4",
    OwnershipJudge,
)
