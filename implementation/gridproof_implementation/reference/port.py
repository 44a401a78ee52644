"""The grid port of the reference, whose members are simulated.

Members that run the real protocol live in a world of virtual time: a call is made, and virtual time passes until it is
answered. A view shows only the slots that a structure with the chosen backup count uses, even if the table fills more
slots. Choice (table.10): the first look at a table causes the first arrangement of partitions, as a look at a single
partition does. The placement policy may plan fewer than seven replicas.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from random import Random
from uuid import UUID

from gridproof_implementation.adapter import AdapterError, ObservedRow, Options, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.settings import MILLISECOND_US, SECOND_US
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.map import Get, Put, PutAll, Remove
from gridproof_implementation.simulator.grouping import PORT, address_of
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.rest import why_different, why_restless
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.workload import MemberRequest, Request
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent
from gridproof_model.events.operation import Executed
from gridproof_model.grid_config import BackupCounts, GridConfig, StructureConfig, StructureKind
from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_model.groups import ZONE_ATTRIBUTE, GroupError, GroupType, PartitionGroupConfig, compute_groups
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.routing import partition_of
from gridproof_model.trace import OperationKind, Outcome

MAP = StructureId(StructureKind.MAP, "audited")
STEP_US = 250
"""The virtual time between two checks whether a call is answered."""
JOIN_DEADLINE_US = 120 * SECOND_US
UNANSWERED_US = 600 * SECOND_US
"""If a call has no answer after this time, its outcome is unknown."""
USES: Mapping[OperationKind, str] = {
    OperationKind.CONTAINS: "cells",
    OperationKind.PUT_IF_ABSENT: "cells",
    OperationKind.COMPARE_AND_SET: "cells",
    OperationKind.COMPARE_AND_REMOVE: "cells",
    OperationKind.ADD: "counter",
    OperationKind.SIZE: "entries",
    OperationKind.APPEND: "appends",
    OperationKind.READ: "appends",
    OperationKind.OFFER: "queue",
    OperationKind.POLL: "queue",
    OperationKind.LOCK: "lock",
    OperationKind.UNLOCK: "lock",
}
"""For each kind of operation, the workload that requests it; the port makes the same calls as the workload, but on the
audited map."""


class ReferencePort:
    """The grid port over a `World`."""

    operations = frozenset(USES)

    def __init__(
        self, options: Options, policy: PlacementPolicy | None = None, replica_count: int = MAX_REPLICA_COUNT
    ) -> None:
        self.version = version("gridproof")
        self.partition_count = options.partition_count
        self.backup_count = options.backup_count
        self.holds_data = True
        self._config = options.config
        self._hosts = options.hosts
        self._attributes = options.attributes
        self._replica_count = replica_count
        if policy is not None:
            policy = PlannedReplicas(policy, replica_count)
        self._seen = _Seen()
        self._world = World(options.seed, _config_of(options), policy, self._seen)
        self._calls = 0
        self._locks: set[str] = set()
        """The keys that clients have used as locks."""

    @property
    def now_ms(self) -> int:
        """Virtual milliseconds since the grid was opened."""
        return self._world.now_us // MILLISECOND_US

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start a member; if the first member names a group, the groups are zones, and every data member has to name
        one.

        Without a group, a member's group and attributes are as in the user's configuration, if there is one.
        """
        if self._config is not None and group is None:
            return self._start(lite=lite, attributes=self._attributes_of(self._config))
        if not self._world.latest_hosts:
            zones = PartitionGroupConfig(GroupType.PER_MEMBER if group is None else GroupType.ZONE_AWARE)
            self._world.config = replace(self._world.config, partition_groups=zones)
        elif not lite and (group is None) != (self._world.config.partition_groups.type is GroupType.PER_MEMBER):
            raise AdapterError("reference: some data members have a group, others have none; give all a group, or none")
        return self._start(lite=lite, attributes=() if group is None else ((ZONE_ATTRIBUTE, group),))

    def _start(self, *, lite: bool, attributes: tuple[tuple[str, str], ...]) -> Member:
        address = self._next_address()
        self._check_groups(Member(MemberId(address, UUID(int=0)), lite, attributes))
        host = self._world.start_member(lite=lite, attributes=attributes, address=address)
        self._wait_for(lambda: host.member.node.membership.is_joined, JOIN_DEADLINE_US)
        if not host.member.node.membership.is_joined:
            late = f"{host.description} did not join within {JOIN_DEADLINE_US // SECOND_US} s of virtual time"
            raise AdapterError(f"reference: {late}; report it, with the command that you gave")
        return host.description

    def _attributes_of(self, config: GridConfig) -> tuple[tuple[str, str], ...]:
        """Return the attributes of the next member: its own, in addition to those of the configuration."""
        own = self._attributes[len(self._world.latest_hosts) % len(self._attributes)] if self._attributes else ()
        return tuple(sorted({**dict(config.attributes), **dict(own)}.items()))

    def _next_address(self) -> Address:
        """Return an unused address: a new port on the next of the given hosts, or an address on a new host if no hosts
        are given."""
        number = len(self._world.latest_hosts)
        if not self._hosts:
            return address_of(number)
        host = self._hosts[number % len(self._hosts)]
        others = sum(other.description.id.address.host == host for other in self._world.latest_hosts)
        return Address(host, PORT + others)

    def _check_groups(self, newcomer: Member) -> None:
        """Raise AdapterError if the new member's group cannot be computed, or if no member would have a group."""
        data_members = [member for member in (*self.members(), newcomer) if not member.lite]
        try:
            groups = compute_groups(self._world.config.partition_groups, data_members)
        except GroupError as error:
            # The newcomer has no uuid yet, so the message names it by its address.
            reason = str(error).replace(str(newcomer), str(newcomer.id.address))
            raise AdapterError(f"reference: members cannot be grouped: {reason}") from None
        if not groups and len(data_members) > len(self._hosts):
            raise AdapterError(
                f"reference: no member matches a configured member-group (the youngest is {newcomer.id.address}), "
                "so no partition would be assigned; with --hosts name hosts that the member-groups match"
            )

    def members(self) -> tuple[Member, ...]:
        """The running members, oldest first."""
        return tuple(host.description for host in self._running)

    def group_of(self, member: Member) -> str:
        """The member's partition group, as members themselves compute it; empty for a lite member."""
        groups = compute_groups(self._world.config.partition_groups, [m for m in self.members() if not m.lite])
        return next((group.name for group in groups if member in group.members), "")

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """The member's own table."""
        host = self._host_of(observer)
        if not host.member.node.partitions.is_initialised:
            self._arrange(host)
        used = 1 + self.backup_count
        return [ObservedRow(row.slots[:used], row.version) for row in host.member.node.partitions.rows]

    def _arrange(self, host: Host) -> None:
        """Ask for the table, which makes the first arrangement, and wait until every member has it."""
        self._ask(host, Get(MAP, ""), 0)
        self._wait_for(lambda: all(h.member.node.partitions.is_initialised for h in self._running), SECOND_US)

    def why_unsettled(self) -> str | None:
        """What members still have to do, or which backups differ from their primaries; None if the grid is at rest."""
        return why_restless(self._world, self._replica_count) or why_different(self._world)

    def wait(self, duration_ms: int) -> None:
        """Let virtual time pass."""
        self._world.run(self._world.now_us + duration_ms * MILLISECOND_US)

    def crash(self, member: Member) -> None:
        """End the member's process; its connections break."""
        self._world.crash(self._host_of(member))

    def leave(self, member: Member) -> None:
        """Shut the member down gracefully."""
        host = self._host_of(member)
        self._world.leave(host)
        most_us = host.member.node.settings.graceful_shutdown_max_wait_us + JOIN_DEADLINE_US
        self._wait_for(lambda: not host.alive, most_us)
        if host.alive:
            late = f"{member} was asked to leave, but still runs {most_us // SECOND_US} s later"
            raise AdapterError(f"reference: {late}; report it, with the command that you gave")

    def partition_of(self, key: str) -> int:
        """The partition of a key, by serialization and hash (seed: How Data is Partitioned)."""
        return partition_of(Key(KeyType.STRING, key), self.partition_count)

    def write(self, key: str, value: str) -> WriteAnswer:
        """Put an entry through the next member in turn.

        The answer to a successful write claims as many copies as the caller counted. A backup whose acknowledgement is
        missing does not count as a copy; a backup that leaves meanwhile does (backups.20, backups.17).
        """
        return self._change(Put(MAP, key, value), self.partition_of(key))

    def remove(self, key: str) -> WriteAnswer:
        """Remove an entry through the next member in turn; a success claims copies in the same way as for a write."""
        return self._change(Remove(MAP, key), self.partition_of(key))

    def _change(self, operation: Operation, partition: int) -> WriteAnswer:
        host = self._next_member()
        answer = self._ask(host, operation, partition)
        executed_by = self._executed_by(host, partition)
        copies = None if answer is None else answer.confirmed_copies
        return WriteAnswer(_outcome(answer), copies, _detail(answer), host.description.id, executed_by)

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        """Put all entries through the next member in turn; the call does not wait for backups (calls.28)."""
        host = self._next_member()
        pairs: dict[int, list[tuple[str, str]]] = {}
        for key, value in entries.items():
            pairs.setdefault(self.partition_of(key), []).append((key, value))
        operations: list[tuple[int, Operation]] = [(part, PutAll(MAP, tuple(pairs[part]))) for part in sorted(pairs)]
        answer = self._await(host, lambda number: CallMany(number, tuple(operations)))
        return WriteAnswer(_outcome(answer), None, _detail(answer), host.description.id)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Get an entry through the owner that the oldest member's table names, or through the given member."""
        partition = self.partition_of(key)
        host = self._host_of(through) if through is not None else self._owner_of(partition)
        answer = self._ask(host, Get(MAP, key), partition)
        value = None if answer is None or answer.value is None else str(answer.value)
        executed_by = self._executed_by(host, partition)
        return ReadAnswer(_outcome(answer), value, _detail(answer), host.description.id, executed_by)

    def operate(
        self, kind: OperationKind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> ReadAnswer:
        """Ask as clients of a workload do: through the next member in turn, and for locks through the client's own
        member.

        A lock belongs to a member and a thread (calls.32), so a client loses it when its member ends.
        """
        use = "lock" if kind is OperationKind.READ and key in self._locks else USES[kind]
        workload, asked = get_workload(use), ClientOperation(use, kind, key, value, client, expected=expected)
        host = self._next_member()
        if use == "lock":
            self._locks.add(key)
            host = self._running[client % len(self._running)]
        answer = self._await(host, lambda number: _of_the_map(workload.ask(asked, number, self.partition_count)))
        came_back = None if answer is None or answer.failure is not None else answer.value
        line = workload.lines(asked, came_back, self.partition_count)[0]
        executed_by = None if line.partition is None else self._executed_by(host, line.partition)
        shown = line.value if value is None else line.answer
        return ReadAnswer(_outcome(answer), shown, _detail(answer), host.description.id, executed_by)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """The content of the member's own memory, with the role that its own table gives it."""
        node = self._host_of(member).member.node
        fragment = node.replicas.find_fragment(partition, node.replicas.namespace_of(MAP))
        content = None if fragment is None else fragment.structures.get(MAP)
        slots = node.partitions.rows[partition].slots[: 1 + self.backup_count]
        if content is None and node.me not in slots:
            return None
        return ReplicaContent(_role(slots, node.me), None, {} if content is None else dict(content.entries()))

    @property
    def _running(self) -> list[Host]:
        return [host for host in self._world.hosts if host.alive]

    def _host_of(self, member: Member) -> Host:
        for host in self._running:
            if host.description == member:
                return host
        raise AdapterError(f"reference: {member} has ended or was never started; name a running member")

    def _owner_of(self, partition: int) -> Host:
        """Return the running member that owns the partition in the oldest member's table, or else the oldest member."""
        oldest = self._running[0]
        owner = oldest.member.node.partitions.rows[partition].slots[0]
        return next((host for host in self._running if host.description.id == owner), oldest)

    def _ask(self, host: Host, operation: Operation, partition: int) -> Answer | None:
        """Make a call as a client of a member, and let time pass until the answer; return None if no answer comes."""
        return self._await(host, lambda number: Call(number, operation, partition))

    def _await(self, host: Host, make: Callable[[int], Call | CallMany]) -> Answer | None:
        self._calls += 1
        number = self._calls
        self._seen.executed.clear()
        self._world.call(host, make(number))
        self._wait_for(lambda: number in self._seen.answers, UNANSWERED_US)
        return self._seen.answers.pop(number, None)

    def _executed_by(self, caller: Host, partition: int) -> MemberId | None:
        """Return the member that executed the operation for which another member has just made a call."""
        number = self._seen.executed.get((caller.number, partition))
        return None if number is None else self._world.hosts[number].description.id

    def _next_member(self) -> Host:
        running = self._running
        if not running:
            raise AdapterError("reference: no member runs; start a member first")
        return running[self._calls % len(running)]

    def _wait_for(self, is_done: Callable[[], bool], most_us: int) -> None:
        until_us = self._world.now_us + most_us
        while not is_done() and self._world.now_us < until_us:
            self._world.run(self._world.now_us + STEP_US)


class _Seen(Watcher):
    """Collects what the port needs from its world."""

    def __init__(self) -> None:
        self.answers: dict[int, Answer] = {}
        """The answers that the port has not taken yet, by call."""
        self.executed: dict[tuple[int, int], int] = {}
        """The number of the member that executed the latest operation, by caller and partition."""

    def answered(self, member: int, answer: Answer) -> None:
        """Keep an answer."""
        self.answers[answer.call] = answer

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """Remember which member executed an operation."""
        if type(event) is Executed:
            self.executed[event.caller, event.partition] = member


def _config_of(options: Options) -> GridConfig:
    """Return the configuration of every member: that of the user, with the backup counts of the options.

    The caller chose the backup counts in the options; they apply to the audited map.
    """
    config = options.config
    if config is None:
        properties = PropertySet.of({PARTITION_COUNT.name: str(options.partition_count)})
        config = GridConfig(properties=properties)
    asynchronous = options.async_backup_count
    backups = BackupCounts(options.backup_count - asynchronous, asynchronous)
    return replace(config, structures=(*config.structures, StructureConfig(StructureKind.MAP, MAP.name, backups)))


def _of_the_map(request: Request) -> Call | CallMany:
    """Return a call of a workload, changed so that it goes to the audited map whatever map it named."""

    def moved(operation: Operation) -> Operation:
        return replace(operation, structure=MAP) if operation.structure.kind == StructureKind.MAP else operation

    match request:
        case Call():
            return replace(request, operation=moved(request.operation))
        case CallMany():
            return replace(request, operations=tuple((part, moved(one)) for part, one in request.operations))
        case MemberRequest():
            raise AssertionError(f"{request} is a request to a member; only calls can be renamed to another structure")


def _outcome(answer: Answer | None) -> Outcome:
    if answer is None:
        return Outcome.UNKNOWN
    if answer.failure is None:
        return Outcome.OK
    return Outcome.UNKNOWN if answer.may_have_run else Outcome.REFUSED


def _detail(answer: Answer | None) -> str:
    if answer is None:
        return f"no answer in {UNANSWERED_US // SECOND_US} seconds"
    return "" if answer.failure is None else str(answer.failure)


def _role(slots: Sequence[MemberId | None], me: MemberId) -> str:
    """Return the name of a member's role in a row."""
    if me not in slots:
        return "none"
    return "primary" if slots[0] == me else f"backup {slots.index(me)}"


@dataclass(frozen=True, slots=True)
class PlannedReplicas:
    """Wraps a placement policy, and asks it for a fixed number of replicas: as many as structures keep."""

    policy: PlacementPolicy
    replica_count: int
    """How many replicas are planned, including the primary."""

    @property
    def name(self) -> str:
        """The name of the wrapped policy."""
        return self.policy.name

    @property
    def summary(self) -> str:
        """The summary of the wrapped policy."""
        return self.policy.summary

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the target of the wrapped policy."""
        return self.policy.place(replace(request, replica_count=self.replica_count), rng)

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return the plan of the wrapped policy."""
        return self.policy.plan(replace(request, replica_count=self.replica_count), target)
