"""Makes records of what a grid shows: its tables and its contents."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.host import Ending, Host
from gridproof_implementation.simulator.world import World
from gridproof_model.events.harness import ResourcesHeld
from gridproof_model.groups import compute_groups
from gridproof_model.membership import Member
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    Record,
    RowRecord,
    ViewRecord,
    digest_entries,
)

CHANGES = {Ending.CRASHED: MemberChange.CRASHED, Ending.LEFT: MemberChange.LEFT, Ending.MERGED: MemberChange.MERGED}
STRANGER = "stranger"
"""The role of a member that has data of a partition though the partition's row does not name it."""


@dataclass(slots=True)
class Looker:
    """Looks at a simulated world, and records what it sees."""

    run: str
    world: World
    sink: Callable[[Record], None]
    copies: int
    """How many slots of a row the structures of the run use."""
    passed_over: frozenset[StructureId] = frozenset()
    """The structures whose contents are not recorded."""
    _groups: dict[int, str] = field(default_factory=dict)
    _views: int = 0

    def started(self, host: Host) -> None:
        """Record that an incarnation has started."""
        self._change(host, MemberChange.JOINED)

    def ended(self, host: Host) -> None:
        """Record that an incarnation has ended."""
        self._change(host, CHANGES[host.ending or Ending.CRASHED])

    def tables(self, stage: str, *, settled: bool) -> None:
        """Record the table of every living member."""
        alive = [host for host in self.world.latest_hosts if host.alive]
        self._group(alive)
        known = self._member_groups()
        members = tuple(sorted(host.number for host in alive))
        data = tuple(sorted(host.number for host in alive if not is_lite(host)))
        for host in alive:
            view, self._views = self._views, self._views + 1
            at_ms = self.world.now_us // 1_000
            self.sink(ViewRecord(self.run, view, at_ms, stage, host.number, settled, members, data, known))
            for partition, row in enumerate(host.member.node.partitions.rows):
                slots = tuple(None if slot is None else self.world.numbers[slot] for slot in row.slots[: self.copies])
                self.sink(RowRecord(self.run, view, partition, slots, row.version))

    def contents(self, stage: str, *, settled: bool) -> None:
        """Record the data of each partition that every living member has or should have, and the resources it has
        taken."""
        at_ms = self.world.now_us // 1_000
        for host in self.world.latest_hosts:
            if host.alive:
                self.sink(EventRecord(self.run, at_ms, host.number, resources_of(host, settled=settled)))
            for partition, row in enumerate(host.member.node.partitions.rows) if host.alive else ():
                entries = entries_of(host, partition, self.copies, self.passed_over)
                slots = row.slots[: self.copies]
                role = _role(slots.index(host.description.id)) if host.description.id in slots else STRANGER
                if entries or role is not STRANGER:
                    digest = digest_entries(entries)
                    self.sink(
                        DigestRecord(
                            self.run, at_ms, stage, settled, host.number, partition, role, None, len(entries), digest
                        )
                    )

    def _change(self, host: Host, change: MemberChange) -> None:
        self._group([other for other in self.world.latest_hosts if other.alive])
        description = host.description
        # A lite member has a group, too: the group that it will be in if it is promoted to a data member.
        group = self._groups.get(host.number) or self._group_alone(description)
        at_ms = self.world.now_us // 1_000
        lite = description.lite if change is MemberChange.JOINED else is_lite(host)  # it may have been promoted
        self.sink(MemberRecord(self.run, at_ms, host.number, change, str(description.id), group, lite))

    def _group(self, alive: list[Host]) -> None:
        """Compute the groups of living members, in the order of the master's list, since a single group is cut in two
        by this order."""
        lists = [host.member.node.membership for host in alive]
        listed = next((one.members for one in lists if one.is_master), ())
        place_of = {member.id: place for place, member in enumerate(listed)}
        ordered = sorted(alive, key=lambda host: (place_of.get(host.description.id, len(place_of)), host.number))
        members = [replace(host.description, lite=is_lite(host)) for host in ordered]
        for group in compute_groups(self.world.config.partition_groups, members):
            for member in group.members:
                self._groups[self.world.numbers[member.id]] = group.name

    def _group_alone(self, description: Member) -> str:
        (group,) = compute_groups(self.world.config.partition_groups, [replace(description, lite=False)])
        return group.name

    def _member_groups(self) -> tuple[str, ...]:
        count = 1 + max(self.world.numbers.values(), default=-1)
        return tuple(self._groups.get(number, "") for number in range(count))


def resources_of(host: Host, *, settled: bool) -> ResourcesHeld:
    """Return the event that states the resources that a member has taken and has to give back."""
    held = host.member.resources()
    counts = tuple((one.name, getattr(held, one.name)) for one in fields(held))
    timers = Counter(type(timer).__name__ for timer in host.timers)
    delays_us = [(kind, delay_us) for kind, both in sorted(host.delays_us.items()) for delay_us in both]
    host.delays_us.clear()
    return ResourcesHeld(settled, counts, tuple(sorted(timers.items())), tuple(delays_us))


def is_lite(host: Host) -> bool:
    """Whether a member is lite by its own member list, since it may have been promoted after its start (members.4)."""
    listed = (member for member in host.member.node.membership.members if member.id == host.description.id)
    return next(listed, host.description).lite


def entries_of(
    host: Host, partition: int, copies: int, passed_over: frozenset[StructureId] = frozenset()
) -> Mapping[str, str]:
    """Return a member's entries in a partition, by structure and key, of the structures that have exactly `copies`
    copies."""
    return dict(_entries_of(host, partition, copies, passed_over))


def _entries_of(
    host: Host, partition: int, copies: int, passed_over: frozenset[StructureId]
) -> Iterator[tuple[str, str]]:
    replicas = host.member.node.replicas
    for namespace in replicas.namespaces(partition):
        for structure, content in replicas.fragment(partition, namespace).structures.items():
            if 1 + replicas.backups_of(structure).total == copies and structure not in passed_over:
                for key, value in content.entries().items():
                    yield f"{structure}/{key}", value


def _role(slot: int) -> str:
    return "primary" if slot == 0 else f"backup {slot}"
