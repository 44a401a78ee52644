"""The members of a story, and what it can do with them: call, hold and drop messages, read copies, end processes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partialmethod
from time import monotonic, sleep
from typing import Any

from gridproof_implementation.adapter import ObservedRow, Options, ReadAnswer, WriteAnswer
from gridproof_implementation.adapters.hazelcast import hazelcast_agent
from gridproof_implementation.live import answers
from gridproof_implementation.live.agent_grid import AgentGrid, open_agents
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Member, MemberId
from gridproof_model.routing import partition_of
from gridproof_model.trace import Outcome
from gridproof_properties.audits.settle import settle
from gridproof_properties.stories.setting import NotPlayedError, Setting

SITUATION_TIMEOUT_S = 15.0
"""How long to wait for a situation to come about."""
REST_TIMEOUT_MS = 60_000
CALLS_AT_ONCE = 400
SYNC_REQUEST = "PartitionReplicaSyncRequestOffloadable"
"""The operation by which a backup requests a sync; the gate cannot see its partition."""
JOBS = ("-Dgridproof.runs.jobs=true", "-Xmx256m")
KEYS_OF_A_PARTITION = 1_000
"""How many keys there are per partition, roughly."""
_LOOK_EVERY_S = 0.02
Row = Sequence[Member | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for messages that the gate of a member stops."""

    stage: "Stage"
    at: Member
    number: int

    @property
    def met(self) -> int:
        """How many messages the rule has stopped so far."""
        return self.stage.grid.gate_of(self.at).met(self.number)

    def await_met(self, count: int = 1, timeout_s: float = SITUATION_TIMEOUT_S) -> None:
        """Wait until `count` messages were stopped; raise NotPlayedError if fewer come."""
        self.stage.await_that(lambda: self.met >= count, f"{count} messages at the gate", timeout_s)

    def release(self) -> int:
        """End the rule, and deliver the messages that it held, in order; return how many these were."""
        return self.stage.grid.gate_of(self.at).release(self.number)


class Stage:
    """The members of one play of a story; they are at rest when it begins."""

    def __init__(self, grid: AgentGrid, setting: Setting, pool: ThreadPoolExecutor) -> None:
        self.grid = grid
        self.setting = setting
        self.steps: list[str] = []
        self._pool = pool
        self._begin_s = monotonic()
        self.elders: Sequence[Member] = [grid.start_member(lite=True) for _ in range(setting.elders)]
        groups = setting.groups or (None,) * setting.members
        self.members: list[Member] = [grid.start_member(group=group) for group in groups]
        """The data members, oldest first; the first data member is the master if no lite member is older."""
        self.callers: Sequence[Member] = [grid.start_member(lite=True) for _ in range(setting.callers)]
        self._everybody = [*self.elders, *self.members, *self.callers]
        """All members, in the order in which they started."""
        self._keys = _keys_of(setting.partitions)
        self.await_rest()

    @property
    def caller(self) -> Member:
        """The member that makes calls: the first of the lite members that call."""
        return self.callers[0]

    def name_of(self, member: Member | None) -> str:
        """Return the name that steps use for a member: A for the oldest member, and so on."""
        return "nobody" if member is None else chr(ord("A") + self._everybody.index(member))

    def note(self, step: str) -> None:
        """Note a step of the story, with its time."""
        self.steps.append(f"{(monotonic() - self._begin_s) * 1000:.0f} ms: {step}")

    # Methods that wait

    def await_that(self, condition: Callable[[], bool], what: str, timeout_s: float = SITUATION_TIMEOUT_S) -> None:
        """Wait until a condition is true; raise NotPlayedError if it does not become true."""
        if not self.comes_about(condition, timeout_s):
            raise NotPlayedError(f"the story waited {timeout_s:.0f} s in vain for {what}; play the story again")

    def comes_about(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until a condition is true, but at most `timeout_s`, and return whether it is true."""
        end_s = monotonic() + timeout_s
        while not condition():
            if monotonic() > end_s:
                return False
            sleep(_LOOK_EVERY_S)
        return True

    def await_rest(self) -> None:
        """Wait until all members are at rest; raise NotPlayedError if they do not come to rest."""
        settling = settle(self.grid, REST_TIMEOUT_MS)
        if not settling.settled:
            late = f"the members did not settle within {REST_TIMEOUT_MS // 1000} s: {settling}"
            raise NotPlayedError(f"{late}; play the story again")

    def wait(self, seconds: float) -> None:
        """Let the members go on for a while."""
        sleep(seconds)

    # Methods that read tables

    def rows(self, observer: Member) -> Sequence[Row]:
        """Return the rows by partition as one member shows them: a slot is a member, running or ended, or None if it is
        empty."""
        known = self._known()
        return [[None if slot is None else known[slot] for slot in row.slots] for row in self.view(observer)]

    def view(self, observer: Member) -> Sequence[ObservedRow]:
        """Return the rows as one member shows them, together with their versions."""
        return self.grid.view_table(observer)

    def shown(self, partition: int) -> str:
        """Return the row of a partition as it is shown by each running data member and each elder."""
        rows = []
        for observer in (one for one in (*self.elders, *self.members) if one in self.grid.members()):
            row = self.view(observer)[partition]
            names = ", ".join(self.name_of(self.member(slot)) for slot in row.slots)
            rows.append(f"{self.name_of(observer)} has the row [{names}], version {row.version}")
        return "; ".join(rows)

    def member(self, slot: MemberId | None) -> Member | None:
        """Return the member whose id a row names, whether it runs or has ended."""
        return None if slot is None else self._known()[slot]

    def _known(self) -> Mapping[MemberId, Member]:
        """Return all members, running or ended, by the ids that rows name."""
        return {member.id: member for member in (*self._everybody, *self.grid.members())}

    def partitions(self, fits: Callable[[Row], bool]) -> Sequence[tuple[int, Row]]:
        """Return the partitions whose rows meet a condition, each with its row."""
        return [(number, row) for number, row in enumerate(self.rows(self.members[0])) if fits(row)]

    def partition(self, fits: Callable[[Row], bool]) -> tuple[int, Row]:
        """Return the first partition whose row meets a condition; raise NotPlayedError if there is none."""
        found = self.partitions(fits)
        if not found:
            raise NotPlayedError("in no partition are members placed as the story needs it; play the story again")
        return found[0]

    def is_full(self, row: Row, primary_is_not: Member | None = None) -> bool:
        """Whether a row names a member for each copy, and the row's primary is not `primary_is_not`."""
        return None not in row and row[0] != primary_is_not

    def key(self, partition: int, number: int = 0) -> str:
        """Return a key in a partition; different numbers give different keys."""
        return self._keys[partition][number]

    # Methods about calls

    def put(self, key: str, value: str, through: Member) -> WriteAnswer:
        """Make a put, and wait for the answer."""
        return self.grid.write(key, value, through)

    def begin_put(self, key: str, value: str, through: Member) -> Future[WriteAnswer]:
        """Start a put, without waiting for the answer."""
        return self._pool.submit(self.grid.write, key, value, through)

    def get(self, key: str, through: Member) -> ReadAnswer:
        """Read through a member, as that member's clients would."""
        return self.grid.read(key, through=through)

    def begin_increment(self, key: str, through: Member) -> Future[WriteAnswer]:
        """Start an entry processor that adds one at the primary, and also at each backup."""

        def increment() -> WriteAnswer:
            found = self.ask(through, "operate", kind="add", key=key, value=None, expected=None)
            answer = answers.OPERATE.read(found)
            return WriteAnswer(answer.outcome, answer.confirmed, answer.why)

        return self._pool.submit(increment)

    def ask(self, member: Member, verb: str, **about: object) -> Mapping[str, Any]:
        """Ask a member's agent for a verb that only this agent offers; the answer is not checked."""
        return self.grid.process_of(member).ask(verb, self.grid.deadline_s, **about)

    # Methods about members

    def hold(
        self, operation: str | None, at: Member, sender: Member | None = None, partition: int | None = None,
        count: int | None = None, verb: str = "hold",
    ) -> Rule:  # fmt: skip
        """Hold the messages that arrive at a member from now on and match; None matches any value."""
        which = {"port": None if sender is None else sender.id.address.port, "partition": partition, "count": count}
        return Rule(self, at, self.grid.gate_of(at).stop(verb, operation=operation, **which))

    drop = partialmethod(hold, verb="drop")
    """Drop the messages that `hold` would hold with the same arguments."""

    def join(self, group: str | None = None) -> Member:
        """Start one more data member, the youngest, and return it."""
        newcomer = self.grid.start_member(group=group)
        self.members.append(newcomer)
        self._everybody.append(newcomer)
        self.note(f"{self.name_of(newcomer)} joins")
        return newcomer

    def promote(self, member: Member) -> None:
        """Make a lite member a data member."""
        self.ask(member, "promote")

    def crash(self, member: Member) -> None:
        """End the member's process (SIGKILL)."""
        self.note(f"{self.name_of(member)} crashes")
        self.grid.crash(member)

    def copy(self, member: Member, partition: int) -> answers.Copy:
        """Return what a member itself holds of a partition; empty if it holds nothing."""
        found = self.ask(member, "replicas", partitions=[partition])
        return answers.REPLICAS.read(found).held.get(partition, answers.Copy(partition, "none", None, (), {}))

    def holders(self, partition: int, key: str, value: str) -> str:
        """Return the names of the running data members that hold this value for a key."""
        running = [member for member in self.members if member in self.grid.members()]
        held = [one for one in running if self.copy(one, partition).entries.get(key) == value]
        return ", ".join(self.name_of(member) for member in held) or "nobody"

    def completed(self, member: Member) -> Sequence[tuple[int, str]]:
        """Return the completed migrations that a member remembers: the partition of each, and the system's word for its
        outcome."""
        found = self.ask(member, "completed")["completed"]
        assert isinstance(found, list)
        return [(int(partition), str(status)) for partition, status in found]

    def state(self, member: Member) -> str:
        """Return the state of the cluster as a member knows it, in the system's own word."""
        return str(self.ask(member, "state")["state"])

    def listed(self, member: Member) -> int:
        """Return how many members are in a member's list."""
        return len(answers.SETTLED.read(self.ask(member, "settled")).members)


@cache
def _keys_of(partitions: int) -> Mapping[int, Sequence[str]]:
    """Return keys by partition, some hundreds for each partition."""
    keys: dict[int, list[str]] = {}
    for number in range(partitions * KEYS_OF_A_PARTITION):
        key = f"key-{number}"
        keys.setdefault(partition_of(Key(KeyType.STRING, key), partitions), []).append(key)
    return keys


@contextmanager
def open_stage(setting: Setting, version: str) -> Iterator[Stage]:
    """Start the members of a story; when the context ends, so do all their processes. Raise AdapterError if the members
    cannot be started."""
    flags = [f"-Dhazelcast.{name}={value}" for name, value in setting.properties.items()]
    if setting.reads_backups:
        flags.append("-Dgridproof.reads.backups=true")
    if setting.runs_jobs:
        flags += JOBS
    options = Options(
        member_count=setting.members, backup_count=setting.backups, async_backup_count=setting.async_backups,
        partition_count=setting.partitions, system_version=version,
    )  # fmt: skip
    with (
        ThreadPoolExecutor(CALLS_AT_ONCE) as pool,
        open_agents(hazelcast_agent(version).launch(*flags), options, setting.calls_end_within_s) as grid,
    ):
        yield Stage(grid, setting, pool)


def ended_ok(call: Future[WriteAnswer]) -> bool:
    """Wait until a call has ended, and return whether it was answered with success."""
    return call.result().outcome is Outcome.OK
