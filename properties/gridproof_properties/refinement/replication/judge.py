"""Each partition's namespace is a behaviour of `replication`.

A behaviour begins with the first write to a namespace of a partition: nothing is held before that. From then on every
step of members that concerns it is taken as an action of the specification, until the end of the run or of what the
specification speaks of.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.causes import Cause
from gridproof_properties.judge import Finding, Limit, Property
from gridproof_properties.refinement.behaviour import Behaviour, Onlooker
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.replication.differences import ANOTHER_CLUSTER, TWO_CLUSTERS
from gridproof_properties.refinement.replication.follower import Follower
from gridproof_properties.refinement.replication.worlds import runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots, Step

NOTES = frozenset(
    {
        "backup-applied",
        "backup-refused",
        "cluster-founded",
        "executed",
        "fragment-installed",
        "lite-member-promoted",
        "member-list-installed",
        "member-removed",
        "replica-kept",
        "row-installed",
        "summary-compared",
        "summary-ignored",
        "summary-sent",
        "sync-answered",
        "sync-ended",
        "sync-installed",
        "sync-requested",
        "sync-turned-down",
    }
)
"""What is read of a run."""
Deed = Callable[[Follower], None]


class ReplicationJudge:
    """Gives each note to the followers it concerns."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._scene = Scene()
        self._followers: dict[tuple[int, str], Follower] = {}
        self._of_partition: dict[int, list[Follower]] = {}
        self._newest: Counter[int] = Counter()
        """The highest version of a primary's row, by partition."""
        self._asking: dict[int, list[Follower]] = {}
        self._differences: Counter[str] = Counter()
        self._is_over = False
        self.followed = Followed("replication", self._differences)

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        if self._is_over:
            return
        if isinstance(record, MemberRecord):
            self._scene.member_changed(record)
            if record.change is not MemberChange.JOINED:
                step = Step(f"member {record.change.value}", record.at_ms, record.member, {})
                self._let_all(lambda follower: follower.seats.ended(step, record.member))
        elif isinstance(record, EventRecord) and record.name in NOTES and record.member is not None:
            self._take(Step.of(record))

    def watched(self) -> frozenset[str]:
        """Return the names of the steps that are read."""
        return NOTES

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        self._count(self._followers.values())
        return self.followed.finding()

    def _take(self, step: Step) -> None:
        if step.name != "sync-requested":
            for follower in self._asking.pop(step.member, ()):
                self._let(follower, lambda one: one.asked_not(step, step.member))
        match step.name:
            case "member-list-installed":
                self._scene.list_installed(step)
            case "member-removed":
                self._member_removed(step, step.number("member"))
            case "cluster-founded":
                self._founded(step.member)
            case "row-installed":
                self._row_installed(step)
            case "fragment-installed":
                self._scene.fragment_installed(step)
            case "lite-member-promoted":
                self._scene.promoted_from_lite(step.number("member"))
            case "executed":
                if step.is_so("changed"):
                    self._executed(step)
            case _:
                if step.name == "replica-kept":
                    self._cut_down(step)
                elif step.name == "summary-compared":
                    self._forget_unnamed(step)
                for follower in self._concerned(step):
                    self._let(follower, lambda one: self._show(one, step))
                    if follower.asking:
                        self._asking.setdefault(step.member, []).append(follower)

    def _show(self, follower: Follower, step: Step) -> None:
        """Let a follower take a step of replication or anti-entropy."""
        match step.name:
            case "backup-applied":
                follower.applied(step)
            case "backup-refused":
                follower.refused(step)
            case "summary-sent":
                follower.check_sent(step, step.versions_by_namespace("versions")[follower.namespace])
            case "summary-compared":
                follower.compared(step, step.versions_by_namespace("versions")[follower.namespace])
            case "summary-ignored":
                follower.check_ignored(step)
            case "sync-requested":
                follower.asked(step)
            case "sync-answered" | "sync-turned-down":
                follower.answered(step, with_content=step.name == "sync-answered")
            case "sync-installed":
                follower.installed(step)
            case "sync-ended":
                follower.sync_ended(step)
            case "replica-kept":
                follower.kept(step)
            case _:
                raise ValueError(step.name)

    def _concerned(self, step: Step) -> Iterator[Follower]:
        """Yield the followers of the namespaces a step names; of the whole partition where it names none."""
        named: tuple[str, ...] | None = None
        if "namespace" in step.details:
            named = (step.text("namespace"),)
        elif "namespaces" in step.details:
            named = step.texts("namespaces")
        elif "versions" in step.details:
            named = tuple(step.versions_by_namespace("versions"))
        for follower in tuple(self._of_partition.get(step.number("partition"), ())):
            if named is None or follower.namespace in named:
                yield follower

    def _cut_down(self, step: Step) -> None:
        """Let a member drop the namespaces that have fewer backups than the slot it holds now, or all of them."""
        if step.number("index") < 0:
            self._scene.dropped(step)
        for follower in self._of_partition.get(step.number("partition"), ()):
            if step.number("index") >= len(follower.seats.slots):
                self._scene.dropped(step, follower.namespace)

    def _forget_unnamed(self, step: Step) -> None:
        """Let a backup drop namespaces that a summary does not name (reference replication 11 L6)."""
        named = step.versions_by_namespace("versions")
        for follower in tuple(self._of_partition.get(step.number("partition"), ())):
            if follower.namespace not in named:
                self._let(follower, lambda one: one.seats.forgotten(step.member))

    def _member_removed(self, step: Step, gone: int) -> None:
        self._scene.removed(step.member, gone)
        if gone in self._scene.alive:
            self._part()
            return
        self._let_all(lambda one: one.seats.removed(step, gone) if one.seats.slots[0] == step.member else None)

    def _founded(self, founder: int) -> None:
        if not self._followers:
            return
        if any(member in self._scene.alive for member in self._scene.lists if member != founder):
            self._part()
            return
        self._differences[ANOTHER_CLUSTER.name] += 1
        self._count(self._followers.values())
        self._followers.clear()
        self._of_partition.clear()
        self._newest.clear()
        self._scene.installed.clear()

    def _part(self) -> None:
        """Follow nothing further: there are two clusters."""
        self._differences[TWO_CLUSTERS.name] += 1
        self._is_over = True

    def _count(self, followers: Iterable[Follower]) -> None:
        for follower in followers:
            self.followed.count(follower.behaviour)

    def _row_installed(self, step: Step) -> None:
        partition, row, version = step.number("partition"), step.slots("slots"), step.number("version")
        self._scene.row_installed(step)
        for follower in self._of_partition.get(partition, ()):
            follower.seats.installed_by(step.member, row)
        # A destination commits first of all: its row is the next one, though the primary may die before it hears of it.
        # And a master that has not heard that the primary is dead may plan without a backup that leaves.
        is_dead = row[0] is not None and row[0] not in self._scene.alive
        is_made_here = step.text("why") == "committed" or (is_dead and step.text("why") == "planned")
        if (row[0] != step.member and not is_made_here) or version < self._newest[partition]:
            return
        self._newest[partition] = version
        if self._is_parted(step.member, partition, row):
            self._part()
            return
        for follower in tuple(self._of_partition.get(partition, ())):
            if row[0] in (step.member, follower.seats.slots[0]):
                self._let(follower, lambda one: one.seats.rearrange(step, row[: len(one.seats.slots)]))

    def _is_parted(self, maker: int, partition: int, row: Slots) -> bool:
        """Whether a row leaves out somebody who lives and knows its maker, which never heard that it came."""
        scene = self._scene
        held = {holder for one in self._of_partition.get(partition, ()) for holder in one.seats.slots}
        return any(
            holder in scene.alive and scene.lists_member(holder, maker) and not scene.lists_member(maker, holder)
            for holder in held.difference(row)
            if holder is not None
        )

    def _executed(self, step: Step) -> None:
        key = (step.number("partition"), step.text("namespace"))
        if key not in self._followers:
            backups = sum(version > 0 for version in step.numbers("versions"))
            row = self._scene.rows.get((step.member, key[0]))
            if backups == 0 or row is None:
                return
            runner = runner_of(backups)
            behaviour = Behaviour(runner, runner.start, self._differences, self._onlooker)
            follower = Follower(behaviour, self._scene, *key, row[: backups + 1])
            self._followers[key] = follower
            self._of_partition.setdefault(key[0], []).append(follower)
        follower = self._followers[key]
        if follower in self._of_partition.get(key[0], ()):
            self._let(follower, lambda one: one.executed(step))

    def _let_all(self, deed: Deed) -> None:
        for followers in list(self._of_partition.values()):
            for follower in tuple(followers):
                self._let(follower, deed)

    def _let(self, follower: Follower, deed: Deed) -> None:
        if not self.followed.goes_on(follower.place, lambda: deed(follower)):
            self._of_partition[follower.place[0]].remove(follower)


PROPERTY = Property(
    "refines-replication",
    "What members do with writes, backups and syncs of a partition is a behaviour of the specification `replication`.",
    "reference replication 2, 3",
    ReplicationJudge,
    limits=(
        Limit(
            Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
            "the links of the specification repeat nothing, and know one incarnation a place",
            for_good=True,
        ),
        Limit(Cause.DESTROYED, "the specification destroys nothing (reference replication 3.1)", for_good=True),
    ),
)
