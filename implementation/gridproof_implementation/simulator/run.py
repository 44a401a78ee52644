"""One run: a grid, its clients, its faults, and how it ends.

Every run ends in the same way (docs/defects.md, Two rules of detection, 2): faults stop, and the grid settles. Tables
and contents are recorded first while anti-entropy is held back, and then while it works. Members are crashed one by
one, with the grid at rest before each crash, and after each crash every key is read. Records go to a sink as soon as
they are made, and none is kept in memory."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from random import Random

from gridproof_implementation.placement.names import get_policy
from gridproof_implementation.protocol.anti_entropy.rounds import NextRound, NextSlice
from gridproof_implementation.protocol.effects import Answer, Message
from gridproof_implementation.protocol.merging.policies.discard import DiscardMergePolicy
from gridproof_implementation.protocol.merging.policies.put_if_absent import PutIfAbsentMergePolicy
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get
from gridproof_implementation.simulator.clients import Clients
from gridproof_implementation.simulator.condition_recorder import OBSERVED, ConditionRecorder
from gridproof_implementation.simulator.distributions import read_distribution
from gridproof_implementation.simulator.fault import Fault, why_nobody
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.job_rider import JobRider
from gridproof_implementation.simulator.looking import Looker, is_lite
from gridproof_implementation.simulator.rest import Patience, settle, synchronise
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_implementation.simulator.watcher import Meter, Onlooker, Watcher
from gridproof_implementation.simulator.work_limit import inputs_allowed, watching
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_implementation.simulator.world import World
from gridproof_model import grid_properties as known
from gridproof_model.events import Event, ProtocolEvent
from gridproof_model.events.conditions import Configured, FaultBegun, FaultEnded
from gridproof_model.events.fault_counts import AFTER_THE_WORK, NOTHING_TO_DO, FaultCounts
from gridproof_model.events.harness import Settled, Unsettled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.trace import SIMULATED, EventRecord, OperationKind, Record, RunRecord

VERSION = version("gridproof")
ANTI_ENTROPY_TIMERS = frozenset({NextRound, NextSlice})
"""The timers that are held back to stop anti-entropy."""
KEEPING_POLICIES = frozenset({PutIfAbsentMergePolicy.__name__, DiscardMergePolicy.__name__})
"""The merge policies under which the entries of the larger cluster stay."""
STILL = "anti-entropy still"
"""The name of the stage in which the grid is looked at while anti-entropy is held back."""
BUSY = "busy"
"""The beginning of the names of those stages in which clients work and faults strike."""
ENDING = "ending"
"""The name of the stage in which faults have stopped and the last calls of clients end."""
AT_REST = "at rest"
"""The name of the stage in which every key is read, before any member is crashed on purpose."""
NO_CLIENT = -1
"""The number of a call for which no client waits."""
START_GAP_US = 20_000
LOOK_EVERY_US = 50_000
HASTENED_US = 500_000
"""Once the run no longer waits for late messages, they are delivered within this time."""


@dataclass(frozen=True, slots=True)
class Redraw:
    """A moment from which a run uses another random seed; before the first such moment it uses the scenario's own
    seed."""

    at_us: int
    """The moment, in virtual microseconds; events at this moment already use the other seed."""
    seed: str


def is_of_clients(stage: str) -> bool:
    """Whether the operations of a stage were requested while clients worked."""
    return stage.startswith(BUSY) or stage == ENDING


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is known about a run at its end, besides the records in its trace."""

    run: str
    events: int
    """The number of inputs that members handled: messages, timers, calls, broken connections."""
    virtual_ms: int
    operations: int
    restless: str | None
    """What the grid was still waiting for when it should have been at rest; None if it was at rest each time."""
    faults: FaultCounts = field(default_factory=FaultCounts)
    """How many times each fault had an effect, and how many times it had none, with the reasons."""


def simulate(
    scenario: Scenario,
    sink: Callable[[Record], None],
    scripts: Iterable[Script] | None = None,
    onlooker: Onlooker | None = None,
    recorded: Collection[type[TraceEvent]] | None = None,
    meter: Meter | None = None,
    redraws: Sequence[Redraw] = (),
    visit: Callable[[World], None] | None = None,
) -> RunEnd:
    """Run a scenario with its own scripts, or with others that are made while it runs.

    Only those steps of the protocol that are in `recorded` become events of the trace; if `recorded` is None, all steps
    do. The scenario says which operations clients request and which faults strike. How long messages take, which
    messages get lost, the uuids of members, and which member is crashed at the end are random; from each of the
    `redraws` on these random numbers have another seed. `visit` is called with the simulated world before anything
    happens in it. The function raises EndlessWork if the code of a member does not return, or if the members do not
    come to rest.
    """
    run = _Run(scenario, sink, onlooker, recorded, meter)
    for redraw in redraws:
        if redraw.at_us > 0:
            run.world.at(redraw.at_us, run.world.draw_anew, redraw.seed)
        else:
            run.world.draw_anew(redraw.seed)
    if visit is not None:
        visit(run.world)
    with watching(run.world.at_work):
        try:
            run.begin()
            for number, script in enumerate(scenario.scripts if scripts is None else scripts, start=1):
                run.play(script, number)
            run.end()
        except Exception as error:
            run.clients.give_up()  # operations under way may have taken effect: judges have to know of them
            if (handling := run.world.at_work()[1]) is not None:
                error.add_note(f"while member {handling[0]} handled {handling[1]}")
            raise
    return RunEnd(
        run.name, run.world.events, run.world.now_us // 1_000, run.clients.operations, run.restless, +run.faults
    )


def _world_of(scenario: Scenario, config: GridConfig, watcher: Watcher) -> World:
    latency, policy = read_distribution(scenario.latency) if scenario.latency else None, get_policy(scenario.placement)
    return World(scenario.seed, config, policy, watcher, latency, scenario.members_grouped)


def _shown_to(onlooker: Onlooker, world: World, sink: Callable[[Record], None]) -> Callable[[Record], None]:
    def show(record: Record) -> None:
        onlooker.record(world.now_us, record)
        sink(record)

    return show


@dataclass(slots=True)
class _Run(Watcher):
    scenario: Scenario
    sink: Callable[[Record], None]
    onlooker: Onlooker | None
    recorded: Collection[type[TraceEvent]] | None
    meter: Meter | None = None
    name: str = field(init=False)
    world: World = field(init=False)
    clients: Clients = field(init=False)
    restless: str | None = None
    _looker: Looker = field(init=False)
    _recorder: ConditionRecorder = field(init=False)
    _patience: Patience = field(init=False)
    _rider: JobRider | None = None
    faults: FaultCounts = field(default_factory=FaultCounts)
    _active: dict[int, tuple[Fault, FaultEvent, str]] = field(default_factory=dict)
    """The faults that are in effect now, each with the reason why it struck no member when it began, or an empty
    text."""
    _keys: dict[str, int] = field(default_factory=dict)
    """All keys or questions that were requested so far, in order, with the number of requests."""

    def __post_init__(self) -> None:
        scenario, config = self.scenario, self.scenario.config()
        self.name = f"simulation-{scenario.seed}"
        self.world = _world_of(scenario, config, self)
        self.world.away = scenario.away
        self.world.watched = None if self.recorded is None else OBSERVED.union(self.recorded)
        if self.onlooker is not None:
            self.world.shows_messages = True
            self.sink = _shown_to(self.onlooker, self.world, self.sink)
        workload = get_workload(scenario.workload)
        self._looker = Looker(self.name, self.world, self.sink, 1 + scenario.backups.total, workload.sent_as_operations)
        self.world.of_messages = self._recorder = ConditionRecorder(self.world, self._record)
        self._patience = Patience.of(config)
        self.world.late_us = self._patience.late_us
        self.clients = Clients(self.name, self.world, workload, self.sink)
        if scenario.job is not None:
            self._rider = JobRider(self.world, scenario.job, self._record)

    def begin(self) -> None:
        """Start the members, each shortly after the member before."""
        scenario = self.scenario
        backups = scenario.backups.total
        self._allow_work(0)
        self.sink(RunRecord(self.name, SIMULATED, VERSION, scenario.seed, scenario.partition_count, backups))
        self._record(self._configured())
        for address_index in range(scenario.members):
            self.world.start_member(lite=address_index in scenario.lite)
            self.world.run(self.world.now_us + START_GAP_US)
        settle(self.world, self._patience.settle_us)
        if scenario.arranged:
            self.world.call(
                self.world.latest_hosts[0], Call(NO_CLIENT, Get(StructureId("map", "nothing"), "nothing"), 0)
            )
        self._settle("started")

    def play(self, script: Script, number: int) -> None:
        """Let clients work and faults strike; then stop the faults, and wait until the grid is at rest."""
        world = self.world
        self._allow_work(len(script.client_operations))
        for client_operation in script.client_operations:
            for key in client_operation.keys if client_operation.kind is not OperationKind.SIZE else ():
                self._keys[key] = self._keys.get(key, 0) + 1
        self.clients.stage = f"{BUSY} {number}"
        self._measure(self.meter)
        self.clients.begin(script.client_operations)
        if self._rider is not None and number == 1:
            self._rider.set_out()
        for place, fault_event in enumerate(script.fault_events):
            self.faults[fault_event.fault, AFTER_THE_WORK] += 1
            world.at(fault_event.at_ms * 1_000, self._fault_event, (number, place), fault_event)
        until_us = world.now_us + self._patience.busy_us + self.scenario.lasting_ms * 1_000
        while self.clients.busy and world.now_us < until_us:
            world.run(world.now_us + LOOK_EVERY_US)
        self._stop_faults()
        self._finish_calls()
        self._measure(None)
        self._await_stragglers()
        self._settle(f"rest {number}")
        world.forget_the_dead()

    def end(self) -> None:
        """Let a job end; record the grid first while anti-entropy is held back and then while it works; crash members
        one by one, and read all keys."""
        self._allow_work(sum(self._keys.values()))
        if self._rider is not None:
            self._rider.wait(self._patience.settle_us + self._patience.synchronise_us)
            self._settle("job over")
        self.world.hold_back(ANTI_ENTROPY_TIMERS)
        self._settle(STILL)
        self.world.hold_back(frozenset())
        self._settle(AT_REST, synchronised=True)
        self._read_all(AT_REST)
        if self._rider is not None:
            self._rider.look(self._patience.call_us)
        chance = Random(self.world.seed)
        for count in range(1, self.scenario.backups.total + 1):
            data = [host for host in self.world.latest_hosts if host.alive and not is_lite(host)]
            if self.restless is not None or len(data) < 2:
                break
            self.world.crash(chance.choice(data))
            self._settle(f"revealed {count}", synchronised=True)
            self._read_all(f"after reveal {count}")
        self._drain_all()

    def _measure(self, meter: Meter | None) -> None:
        """Begin to measure messages and calls with this meter, or stop measuring if no meter is given."""
        if self.onlooker is None:  # a picture sees every message, and nothing is measured of it
            self.world.shows_messages = meter is not None
        self.clients.meter = meter

    def _allow_work(self, requests: int) -> None:
        """Limit how many more inputs members may handle, given the number of requests of clients."""
        self.world.events_max = self.world.events + inputs_allowed(
            max(len(self.world.latest_hosts), self.scenario.members), requests
        )

    def _settle(self, stage: str, *, synchronised: bool = False) -> None:
        awaited = settle(self.world, self._patience.settle_us)
        if awaited is None and synchronised:
            awaited = synchronise(self.world, self._patience.synchronise_us)
        if awaited is not None:
            self.restless = self.restless or f"{stage}: {awaited}"
        self._record(Settled(stage) if awaited is None else Unsettled(stage, awaited))
        arranged = any(host.alive and host.member.node.partitions.is_initialised for host in self.world.latest_hosts)
        self._looker.tables(stage, settled=awaited is None and arranged)
        self._looker.contents(stage, settled=awaited is None and synchronised)

    def _await_stragglers(self) -> None:
        """Let the messages arrive that faults have delayed, since a grid is at rest only after that."""
        world, until_us = self.world, self.world.now_us + self.scenario.straggling_ms * 1_000
        while world.is_awaiting and world.now_us < until_us:
            world.run(world.now_us + LOOK_EVERY_US)
        world.hasten(HASTENED_US)

    def _read_all(self, stage: str) -> None:
        self.clients.stage = stage
        self.clients.begin([self.clients.workload.look(key) for key in self._keys])
        self._finish_calls()

    def _drain_all(self) -> None:
        workload, self.clients.stage = self.clients.workload, "drained"
        self.clients.begin(
            [
                client_operation
                for key, client_operations in self._keys.items()
                for client_operation in workload.drain(key, client_operations)
            ]
        )
        self._finish_calls()

    def _finish_calls(self) -> None:
        until_us = self.world.now_us + self._patience.call_us
        while self.clients.busy and self.world.now_us < until_us:
            self.world.run(self.world.now_us + LOOK_EVERY_US)
        self.clients.give_up()

    def _fault_event(self, place: tuple[int, int], fault_event: FaultEvent) -> None:
        fault = FAULTS_BY_NAME[fault_event.fault]
        if place[0] * 1_000_000 + place[1] in self._active or self.clients.stage != f"{BUSY} {place[0]}":
            return
        self.faults[fault.name, AFTER_THE_WORK] -= 1
        begun, why = self._begun(fault, fault_event), why_nobody(self.world, fault, fault_event)
        if fault.inject(self.world, fault_event):
            self._record(begun)
            key = place[0] * 1_000_000 + place[1]
            self._active[key] = (fault, fault_event, why)
            self.world.at(fault_event.for_ms * 1_000, self._heal, key)
        else:
            self.faults[fault.name, why or NOTHING_TO_DO] += 1

    def _heal(self, key: int) -> None:
        if key in self._active:
            fault, fault_event, why = self._active.pop(key)
            # A member that was missing when the fault began may have joined before the fault ended.
            why = why and why_nobody(self.world, fault, fault_event)
            self.faults[fault.name, why or fault.came_to_nothing(self.world, fault_event)] += 1
            fault.heal(self.world, fault_event)
            self._record(FaultEnded(fault.name, fault.describe(fault_event)))

    def _stop_faults(self) -> None:
        self.clients.stage = ENDING
        for key in sorted(self._active):
            self._heal(key)
        self._revive()

    def _revive(self) -> None:
        """Start a member if none is left, since all members may have completed a graceful shutdown."""
        if not any(host.alive for host in self.world.latest_hosts):
            self.world.restart(0)

    def started(self, host: Host) -> None:
        """Record that a new incarnation has started."""
        self._recorder.started(host)
        self._looker.started(host)

    def ended(self, host: Host) -> None:
        """Record that an incarnation has ended; if no other is left, and clients are done, start another
        incarnation."""
        self._recorder.ended(host)
        self._looker.ended(host)
        self.clients.on_end(host)
        if not self.clients.stage.startswith(BUSY):
            self.world.at(START_GAP_US, self._revive)
        if self._rider is not None:
            self._rider.on_end(host)

    def answered(self, member: int, answer: Answer) -> None:
        """Pass an answer on to the clients or to the job rider."""
        if self._rider is not None and answer.call < NO_CLIENT:
            self._rider.on_answer(answer)
        else:
            self.clients.on_answer(member, answer)

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """Record an event of a member, and the run condition that it shows."""
        kind = type(event)
        if kind in OBSERVED:
            self._recorder.observe(member, event)
        if self.recorded is None or kind in self.recorded:
            self.sink(EventRecord(self.name, at_us // 1_000, member, event))

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Show a message to the code that watches the run or measures it."""
        shown_to = self.meter if self.onlooker is None else self.onlooker
        if shown_to is not None:
            shown_to.message(sent_us, arrivals_us, sender, receiver, message)

    def _configured(self) -> Configured:
        # Values are read from the configuration, not from the members' settings, which are judged against it.
        scenario, value = self.scenario, self.scenario.config().properties.get
        return Configured(
            sync_backups=scenario.sync_backups,
            async_backups=scenario.async_backups,
            strict=bool(value(known.FAIL_ON_INDETERMINATE_STATE)),
            stale_reads=not value(known.STALE_READ_DISABLED),
            arranged=scenario.arranged,
            backup_timeout_ms=value(known.OPERATION_BACKUP_TIMEOUT),
            call_timeout_ms=value(known.OPERATION_CALL_TIMEOUT) // 2,
            steps=self.recorded is None or bool(self.recorded),
            quorum=scenario.quorum,
            merge_keeps=scenario.merge_policy in KEEPING_POLICIES,
            merge_brings=scenario.merge_policy != DiscardMergePolicy.__name__,
            retries=value(known.INVOCATION_MAX_RETRY_COUNT),
            calls_max=(scenario.partition_count + 1) * value(known.BACKPRESSURE_MAX_INVOCATIONS)
            if value(known.BACKPRESSURE_ENABLED)
            else 0,
            leave_wait_ms=value(known.GRACEFUL_SHUTDOWN_MAX_WAIT) * 1_000,
            grouped=scenario.zones > 0,
            claim_wait_ms=value(known.MASTERSHIP_CLAIM_TIMEOUT) * 1_000,
            retry_pause_ms=value(known.INVOCATION_RETRY_PAUSE),
            backoff_ms=value(known.BACKPRESSURE_BACKOFF_TIMEOUT),
            migration_timeout_ms=value(known.MIGRATION_TIMEOUT) * 1_000,
            no_heartbeat_ms=value(known.MAX_NO_HEARTBEAT) * 1_000,
            heartbeat_interval_ms=value(known.HEARTBEAT_INTERVAL) * 1_000,
            table_send_interval_ms=value(known.TABLE_SEND_INTERVAL) * 1_000,
            sync_interval_ms=value(known.BACKUP_SYNC_INTERVAL) * 1_000,
            rebalance_delay_ms=value(known.REBALANCE_DELAY) * 1_000,
            syncs_max=value(known.MAX_PARALLEL_REPLICATIONS),
            migrations_max=value(known.MAX_PARALLEL_MIGRATIONS),
            sync_window=value(known.BACKPRESSURE_SYNC_WINDOW)
            if value(known.BACKPRESSURE_ENABLED) and scenario.async_backups
            else 0,
        )

    def _begun(self, fault: Fault, fault_event: FaultEvent) -> FaultBegun:
        latest_hosts = self.world.latest_hosts
        members = tuple(
            latest_hosts[address_index].number
            for address_index in fault_event.address_indices
            if address_index < len(latest_hosts)
        )
        harms = tuple(str(harm.name).lower() for harm in fault.harm)
        return FaultBegun(fault.name, harms, members, fault.describe(fault_event))

    def _record(self, event: Event) -> None:
        self.sink(EventRecord(self.name, self.world.now_us // 1_000, None, event))
