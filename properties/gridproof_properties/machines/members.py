"""State machines whose members run in lock-step with the specifications.

Hypothesis chooses what is next: a call, the arrival or the loss of any message under way, a timer, or a crash.
Everything that members record is validated by the specifications, as it is for simulated runs; if a step is refused,
the machine fails with the explanation. A user may make a subclass of a machine to add rules, invariants or members: see
`docs/your-own-machine.md`.
"""

import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gridproof_implementation.protocol.anti_entropy.rounds import NextRound, NextSlice
from gridproof_implementation.protocol.anti_entropy.syncs import SyncExpires
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.invocation.attempts import TryAgain
from gridproof_implementation.protocol.membership.joining import JoinRetry
from gridproof_implementation.protocol.membership.suspicion import ProbeDue
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.partitioning.control import DelayOver, RestOver
from gridproof_implementation.protocol.partitioning.migrating import RepeatMigrations
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.schedulers import Lane
from gridproof_model.grid_config import GridConfig
from gridproof_model.language import State
from gridproof_model.language.run import Event
from gridproof_model.trace import Record
from gridproof_properties.machines.any_order import AnyOrder
from gridproof_properties.refinement.invocation import CallsJudge
from gridproof_properties.refinement.ownership import OwnershipJudge
from gridproof_properties.refinement.replication import ReplicationJudge
from gridproof_properties.validation.judge import SpecificationJudge

MAP = StructureId("map", "register")
PARTITION = 0
ValidatingJudge = SpecificationJudge[Any, Any]
"""A judge that uses a specification to validate the steps of members."""


class MemberMachine(RuleBasedStateMachine):
    """A small grid whose one partition is arranged; clients write, and messages arrive in any order."""

    scenario: ClassVar[Scenario] = Scenario(0, members=3, sync_backups=1, async_backups=1, partition_count=1)
    timers: ClassVar[tuple[type[Timer], ...]] = (Scan,)
    """The kinds of timers that may fire."""
    writes: ClassVar[int] = 8
    losses: ClassVar[int] = 0
    crashes: ClassVar[int] = 0
    joins: ClassVar[int] = 0
    grid: AnyOrder

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Record] = []
        self._judges = self.judges()
        self._calls = 0
        self._lost = self._crashed = self._joined = 0

    def judges(self) -> Sequence[ValidatingJudge]:
        """Return the judges that validate members by the specifications; each judge is shown every record."""
        return (ReplicationJudge().shown_to(self.saw), CallsJudge())

    @initialize()
    def begin(self) -> None:
        """Start the members and write once, so that the partition is arranged and all members know its row."""
        self.found(self.scenario.config())

    def found(self, config: GridConfig) -> None:
        """Start members that have a given configuration, and write once."""
        self.grid = AnyOrder(config, self.scenario.backups.total, self._take)
        for _ in range(self.scenario.members):
            self.grid.start()
            self.grid.settle(self._all_have_joined)
        self.write(0)
        self.grid.settle(lambda: bool(self.grid.answers))

    @precondition(lambda self: self._calls < self.writes or not self.grid.under_way())
    @rule(member=st.integers(0, 5))
    def write(self, member: int) -> None:
        """Let a client of a member write the only entry."""
        self._calls += 1
        running = self.grid.running
        call = Call(self._calls, Put(MAP, "key", f"value {self._calls}"), PARTITION)
        self.grid.call(running[member % len(running)], call)

    @precondition(lambda self: bool(self.grid.under_way()))
    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        """Let any one of the messages under way arrive."""
        self.grid.deliver(data.draw(st.sampled_from(self.grid.under_way()), label="lane"))

    @precondition(lambda self: self._lost < self.losses and bool(self._on_links()))
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        """Lose any one of the messages under way."""
        self._lost += 1
        self.grid.lose(data.draw(st.sampled_from(self._on_links()), label="lane"))

    @precondition(lambda self: bool(self.grid.timers(*self.timers)))
    @rule(data=st.data())
    def fire(self, data: st.DataObject) -> None:
        """Fire any one of the timers that may fire."""
        self.grid.fire(*data.draw(st.sampled_from(self.grid.timers(*self.timers)), label="timer"))

    @precondition(lambda self: self._crashed < self.crashes and len(self.grid.running) > 1)
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """Crash a member."""
        self._crashed += 1
        self.grid.crash(data.draw(st.sampled_from(self.grid.running), label="member"))

    @precondition(lambda self: self._joined < self.joins)
    @rule()
    def join(self) -> None:
        """Start another member."""
        self._joined += 1
        self.grid.start()

    @invariant()
    def every_step_is_one_of_the_specifications(self) -> None:
        """Check that the steps so far are behaviours of the specifications that the judges use."""
        for judge in self._judges:
            for place, refused, _ in judge.refused:
                raise AssertionError("\n".join((f"{place}: {refused.sentence}", *refused.explanation)))

    def saw(self, before: State, event: Event, after: State) -> None:
        """Called with every step of `replication`; for use by subclasses that count steps."""

    @property
    def has_failed(self) -> bool:
        """Whether a step has just failed: then there is no need to wait for what the step left half done."""
        return sys.exc_info()[0] is not None

    def _on_links(self) -> list[Lane]:
        """Return the lanes whose messages can be lost: the messages of a member to itself use no link."""
        return [lane for lane in self.grid.under_way() if lane.sender != lane.receiver]

    def _take(self, record: Record) -> None:
        self.records.append(record)
        for judge in self._judges:
            judge.observe(record)

    def _all_have_joined(self) -> bool:
        running = self.grid.running
        return all(len(self.grid.members[number].node.membership.members) == len(running) for number in running)


class ReplicationMachine(MemberMachine):
    """Writes and their backups; some messages are lost."""

    losses = 3


class AntiEntropyMachine(ReplicationMachine):
    """Backups that missed an update notice this, and ask for the update."""

    timers = (NextRound, NextSlice, SyncExpires, Scan)
    losses = 5


class InvocationMachine(MemberMachine):
    """Calls whose target or backups may crash."""

    timers = (Scan, TryAgain, ProbeDue)
    losses = 1
    crashes = 2


class MigrationMachine(MemberMachine):
    """Members join and end, and replicas migrate while clients write; tables are validated, too, by `ownership`."""

    scenario = Scenario(0, members=2, sync_backups=1, async_backups=0, partition_count=1)
    timers = (Scan, TryAgain, ProbeDue, JoinRetry, RestOver, DelayOver, RepeatMigrations)
    crashes = 1
    joins = 2

    def judges(self) -> Sequence[ValidatingJudge]:
        """Return the judges of every machine, and the judge that validates rows, migrations and promotions."""
        return (*super().judges(), OwnershipJudge())


MACHINES: tuple[type[MemberMachine], ...] = (
    ReplicationMachine,
    AntiEntropyMachine,
    InvocationMachine,
    MigrationMachine,
)
