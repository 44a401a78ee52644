"""Small grids, and one member of a grid by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.protocol.effects import Answer, Effect, Message, Send
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.membership.messages import JoinFinal, JoinRequest, MemberUpdate
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import PropertySet
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberList, MemberNumbers

SECOND_US = 1_000_000
SomeEvent = TypeVar("SomeEvent", bound=TraceEvent)
SomeMessage = TypeVar("SomeMessage", bound=Message)


def config_with(**properties: object) -> GridConfig:
    """Return a configuration with these properties; `partition_count` stands for `hazelcast.partition.count`."""
    return GridConfig(
        properties=PropertySet.of({f"hazelcast.{name.replace('_', '.')}": str(v) for name, v in properties.items()})
    )


FEW_PARTITIONS = config_with(partition_count=5)


class Seen(Watcher):
    """Every event and answer of a world."""

    def __init__(self) -> None:
        self.events: list[tuple[int, ProtocolEvent]] = []
        """Numbers of members, and their events."""
        self.answers: list[Answer] = []
        """Of the latest question, or all."""

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        self.events.append((member, event))

    def answered(self, member: int, answer: Answer) -> None:
        self.answers.append(answer)

    def answers_from_now(self) -> list[Answer]:
        """Return the list that answers come into from now on."""
        self.answers = []
        return self.answers


@dataclass
class Grid:
    """A world and every event of its members."""

    world: World
    seen: Seen = field(default_factory=Seen)

    @property
    def events(self) -> list[tuple[int, ProtocolEvent]]:
        """Numbers of members, and their events."""
        return self.seen.events

    @property
    def running(self) -> list[Host]:
        """The members that are alive."""
        return [host for host in self.world.hosts if host.alive]

    def run_for(self, seconds: float) -> None:
        """Let time pass."""
        self.world.run(self.world.now_us + int(seconds * SECOND_US))

    def start(self, members: int = 1, *, lite: bool = False) -> list[Host]:
        """Start members, one after another."""
        hosts: list[Host] = []
        for _ in range(members):
            hosts.append(self.world.start_member(lite=lite))
            self.run_for(0.1)
        return hosts

    def ask(self, host: Host, operation: Operation, partition: int = 0, seconds: float = 10) -> Answer | None:
        """Let a client of a member ask for something; return the answer, None where none came in time."""
        answers = self.seen.answers_from_now()
        self.world.call(host, Call(len(self.events), operation, partition))
        self.run_for(seconds)
        return answers[0] if answers else None

    def cut(self, side: Sequence[Host], other: Sequence[Host]) -> None:
        """Let nothing through between two sides, in either direction."""
        for a in side:
            for b in other:
                self.world.links.at(a.address_index, b.address_index).cuts += 1
                self.world.links.at(b.address_index, a.address_index).cuts += 1

    def heal(self) -> None:
        """Let everything through again."""
        self.world.links.link_conditions.clear()

    def events_of(self, kind: type[SomeEvent], host: Host | None = None) -> list[SomeEvent]:
        """Return the events of one kind, of one member or all."""
        return [n for number, n in self.events if isinstance(n, kind) and (host is None or number == host.number)]

    def lists(self) -> list[list[int]]:
        """Return the different member lists that running members hold, as numbers of members."""
        found: list[list[int]] = []
        for host in self.running:
            members = host.member.node.membership.members
            numbers = [self.number_of(member.id) for member in members]
            if numbers not in found:
                found.append(numbers)
        return found

    def number_of(self, member_id: MemberId) -> int:
        """Return the number of a member."""
        return next(host.number for host in self.world.hosts if host.description.id == member_id)


def empty_grid(seed: int, config: GridConfig, policy: PlacementPolicy | None = None, seen: Seen | None = None) -> Grid:
    """Return a grid in which nobody has started yet."""
    seen = seen or Seen()
    return Grid(World(seed, config, policy, seen), seen)


def make_grid(members: int = 0, *, seed: int = 1, config: GridConfig = FEW_PARTITIONS) -> Grid:
    """Return a grid of so many members, all joined."""
    grid = empty_grid(seed, config)
    grid.start(members)
    return grid


def member_at(place: int, *, lite: bool = False) -> Member:
    """Return the description of a made-up member."""
    return Member(MemberId(Address(f"10.0.0.{place + 1}", 5701), UUID(int=place + 1)), lite)


@dataclass
class OneOfMany:
    """One real member of a cluster whose other members the test plays."""

    member: GridMember
    cluster: MemberList
    now_us: int = 0

    @property
    def me(self) -> MemberId:
        """The identity of the real member."""
        return self.member.node.me

    def id_of(self, place: int) -> MemberId:
        """Return the identity of the member at a place of the list, 0 for the oldest."""
        return self.cluster.members[place].id

    @property
    def numbers(self) -> MemberNumbers:
        """How the real member's events name members."""
        return self.member.node.numbers

    def number_of(self, place: int) -> int:
        """Return how the real member's events name the member at a place of the list."""
        return self.numbers[self.id_of(place)]

    def hand_over(self, place: int, message: Message) -> list[Effect]:
        """Let the member at a place say something."""
        return self.member.receive(self.id_of(place), message, self.now_us)

    def update(self, version: int, places: Sequence[int], state: ClusterState = ClusterState.ACTIVE) -> MemberUpdate:
        """Return a list with the members at these places, meant for the real one."""
        members = MemberList(version, tuple(self.cluster.members[place] for place in places))
        return MemberUpdate(self.member.node.me.uuid, members, state, self.now_us)

    @property
    def version(self) -> int:
        """The version of the list that the real member holds."""
        return self.member.node.membership.members.version


def one_of(members: int, place: int, config: GridConfig = FEW_PARTITIONS, *, lite: bool = False) -> OneOfMany:
    """Return the member at a place of a cluster of so many, joined; all but the oldest may be lite.

    The list has version `members`.
    """
    cluster = MemberList(members, tuple(member_at(i, lite=lite and i > 0) for i in range(members)))
    description = cluster.members[place]
    contacts = [member.id.address for member in cluster if member != description]
    if place == 0:
        contacts = []
    member = GridMember(description, config, contacts)
    one = OneOfMany(member, cluster)
    member.start(0)
    if place == 0:
        for other in cluster.members[1:]:
            member.receive(other.id, JoinRequest(other, config), 0)
        return one
    master = cluster.members[0].id
    update = MemberUpdate(description.id.uuid, cluster, ClusterState.ACTIVE, 0)
    member.receive(master, JoinFinal(update), 0)
    return one


def sent(effects: Sequence[Effect], kind: type[SomeMessage]) -> list[tuple[Address, SomeMessage]]:
    """Return the messages of one kind among effects, with their addresses."""
    return [(e.to, e.message) for e in effects if isinstance(e, Send) and isinstance(e.message, kind)]


def events_in(effects: Sequence[Effect], kind: type[SomeEvent]) -> list[SomeEvent]:
    """Return the events of one kind among effects."""
    return [effect for effect in effects if isinstance(effect, kind)]
