"""VecGrid: a grid of real processes that nobody here wrote.

Source: auditable-systems 2.2 and the documents of the package itself (README in its metadata, docstrings). One process
per member on loopback, seed discovery, never multicast. The port's demands and the library's habits meet here:

- `put` returns nothing, or raises RuntimeError with the same words whether the owner refused, died or was slow: an
  error is therefore an unknown outcome.
- `get` returns None for an absent entry and for an owner that did not answer: a None counts as absent only when the
  member that is asked to own the key says None itself.
- Tables are computed by every member alone from the sorted member names; there is no row version.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    Kind,
    ObservedRow,
    Options,
    Promise,
    PromiseWord,
    ReadAnswer,
    ReplicaContent,
    WriteAnswer,
)
from gridproof_implementation.installed import installed_version
from gridproof_implementation.live.fleet import Fleet
from gridproof_implementation.live.process import ChannelClosedError, LiveProcess, MemberError, NoAnswerError
from gridproof_implementation.live.vecgrid_member import HOST
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.trace import Outcome

_UNREACHABLE = (ChannelClosedError, NoAnswerError)


class VecGrid:
    """The grid port over member processes; members are named in join order."""

    def __init__(self, fleet: Fleet, options: Options, version: str) -> None:
        self.version = version
        self.partition_count = options.partition_count
        self.backup_count = options.backup_count
        self.holds_data = True
        self._fleet = fleet
        self._begin_s = monotonic()
        self._namespace = uuid5(NAMESPACE_OID, str(uuid4()))
        self._started = 0
        self._running: dict[Member, LiveProcess] = {}
        self._ids: dict[str, MemberId] = {}
        self._turn = 0

    @property
    def now_ms(self) -> int:
        """Real milliseconds since the grid was opened."""
        return int((monotonic() - self._begin_s) * 1000)

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start one process that joins through every running member as a seed."""
        if lite:
            raise AdapterError("vecgrid has no lite members: start a data member instead")
        self._started += 1
        name = f"member-{self._started:02d}"
        arguments = ["--name", name, "--partition-count", str(self.partition_count)]
        arguments += ["--backup-count", str(self.backup_count)]
        arguments += ["--seeds", ",".join(str(member.id.address) for member in self._running)]
        process, hello = self._fleet.start(name, "vecgrid_member", arguments)
        member = Member(MemberId(Address(HOST, hello["port"]), uuid5(self._namespace, name)))
        self._ids[name] = member.id
        self._running[member] = process
        return member

    def members(self) -> tuple[Member, ...]:
        """The members whose process runs, oldest first."""
        return tuple(self._running)

    def group_of(self, member: Member) -> str:
        """VecGrid has no groups: every member is its own."""
        return self._running[member].name if member in self._running else str(member.id)

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """The rows of one member's hash ring: owner, then backups."""
        rows = self._ask(observer, "table")["rows"]
        return [ObservedRow(tuple(self._ids.get(name) for name in row)) for row in rows]

    def why_unsettled(self) -> str | None:
        """At rest: every member lists exactly the running ones, tables equal and full, and no data in motion."""
        names = sorted(process.name for process in self._running.values())
        width = 1 + min(self.backup_count, len(names) - 1)
        first_rows = None
        for process in self._running.values():
            try:
                table = process.ask("table")
            except _UNREACHABLE as error:
                return f"{process.name} does not answer: {error}"
            if table["members"] != names:
                return f"{process.name} lists {', '.join(table['members'])} where {', '.join(names)} run"
            if any(len(row) != width or "" in row for row in table["rows"]):
                return f"{process.name} has rows without {width} copies"
            if first_rows is not None and table["rows"] != first_rows:
                return f"the table of {process.name} differs from that of {names[0]}"
            if table["busy"] is not None:
                return f"{process.name} is in {table['busy']}"
            first_rows = table["rows"]
        return None

    def wait(self, duration_ms: int) -> None:
        """Sleep."""
        sleep(duration_ms / 1000)

    def crash(self, member: Member) -> None:
        """SIGKILL."""
        self._running.pop(member).kill()

    def leave(self, member: Member) -> None:
        """Call the library's `stop`, then end the process."""
        process = self._running.pop(member)
        try:
            process.ask("stop")
        finally:
            process.kill()

    def partition_of(self, key: str) -> int:
        """The partition by the library's own hash."""
        return int(self._ask(self.members()[0], "partition", key=key))

    def write(self, key: str, value: str) -> WriteAnswer:
        """Put through the next member in turn; the return of `put` stands for all copies of the row."""
        member = self._any_member()
        try:
            answer = self._running[member].ask("put", key=key, value=value)
        except (MemberError, *_UNREACHABLE) as error:
            return WriteAnswer(Outcome.UNKNOWN, detail=str(error), member=member.id)
        return WriteAnswer(Outcome.OK, answer["copies"], member=member.id)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Get through the owner, as the oldest member's table names it, or through the member given."""
        try:
            owner = self._owner_of(key)
            member = through or owner or self._any_member()
            answer = self._running[member].ask("get", key=key)
            if not answer["found"] and (owner is None or self._running[owner].ask("get", key=key)["found"]):
                return ReadAnswer(Outcome.UNKNOWN, detail="None, though the owner did not say so", member=member.id)
        except (MemberError, *_UNREACHABLE) as error:
            return ReadAnswer(Outcome.UNKNOWN, detail=str(error))
        return ReadAnswer(Outcome.OK, answer["value"], member=member.id)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """What the member's own memory holds, in the role it gives itself."""
        held: dict[str, Any] | None = self._ask(member, "replica", partition=partition)
        return None if held is None else ReplicaContent(held["role"], held["version"], held["entries"])

    def _ask(self, member: Member, command: str, **arguments: Any) -> Any:
        process = self._running[member]
        try:
            return process.ask(command, **arguments)
        except (MemberError, *_UNREACHABLE) as error:
            raise AdapterError(f"{process.name} cannot be asked for its {command}: {error}") from error

    def _any_member(self) -> Member:
        if not self._running:
            raise AdapterError("no VecGrid member runs: start one first")
        self._turn += 1
        return self.members()[self._turn % len(self._running)]

    def _owner_of(self, key: str) -> Member | None:
        """Return the running member that the oldest one takes for the owner; None while that one is dead."""
        name = self._running[self.members()[0]].ask("owner", key=key)
        return next((member for member, process in self._running.items() if process.name == name), None)


@contextmanager
def open_vecgrid(options: Options) -> Iterator[VecGrid]:
    """Open a grid without members; leaving ends every process."""
    version = installed_version("vecgrid")
    with Fleet() as fleet:
        yield VecGrid(fleet, options, version)


_MINIMAL = "VecGrid hash_ring: dynamic node join/leave with minimal data movement"
_NO_LOSS = "VecGrid README, Feature Matrix: backup promotion, zero data loss with backup_count >= 1"


_TWO_NODES = "VecGrid README, Fault tolerance: sync backup replication, every vector exists on at least two nodes"
_ANY_NODE = "VecGrid node: any node handles any request, forwards to owner"


def _promised(source: str, least_backups: int = 0) -> Promise:
    return Promise(PromiseWord.PROMISED, source, least_backups)


ADAPTER = Adapter(
    name="vecgrid",
    summary="VecGrid, a distributed in-memory vector database: one process per member, on loopback",
    kind=Kind.GRID,
    open=open_vecgrid,
    repeatable=False,
    promises={
        "one-replica-per-member": _promised(_TWO_NODES, 1),
        "full-rows": _promised(_TWO_NODES),
        "balance-of-primaries": _promised("VecGrid ConsistentHashRing: assigned round-robin, rebalanced on join/leave"),
        "balance-after-loss": _promised("VecGrid ConsistentHashRing: assigned round-robin, rebalanced on join/leave"),
        "balance-of-copies": _promised("VecGrid ConsistentHashRing: assigned round-robin, rebalanced on join/leave"),
        "movement-of-primaries": _promised(_MINIMAL),
        "movement-of-copies": _promised(_MINIMAL),
        "movement-only-to-newcomer": _promised(_MINIMAL),
        "movement-after-loss": _promised(_MINIMAL),
        "views-agree": _promised(
            "VecGrid node: partition table versioning for consistency; any node handles any request"
        ),
        "acknowledged-write-kept": _promised(f"{_NO_LOSS}; node: migrate-then-delete, no data loss"),
        "promotion-without-loss": _promised(_NO_LOSS, 1),
        "acknowledgement-means-copies": _promised("VecGrid README, How a Write Works: all backups confirmed"),
        "acknowledgement-has-all-copies": _promised("VecGrid README, How a Write Works: all backups confirmed"),
        "backups-converge": _promised("VecGrid README, Feature Matrix: sync backup replication", 1),
        "acknowledged-write-on-every-copy": _promised(_TWO_NODES, 1),
        "writes-accepted-at-rest": _promised(_ANY_NODE),
        "reads-accepted-at-rest": _promised(_ANY_NODE),
        "reads-accepted-after-fault": _promised(
            "VecGrid README, No single point of failure: any node can die and the cluster continues serving queries", 1
        ),
    },
    requires="systems",
)
