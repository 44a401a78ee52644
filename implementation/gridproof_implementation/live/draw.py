"""Scenarios for a live fleet, drawn from a seed.

The value is the simulator's `Scenario`, and every field has the same meaning as there. The clients' operations are
chosen so that faults show (docs/faults-on-live-systems.md). Half of the clients only read, since a client that also
writes would wait for its writes behind a cut, and stop reading. Clients compete for few registers. Most writes
go to entries that no other client writes, so that a lost write can be named: some of these writes make a new entry, and
others change an earlier entry, whose old value a merge may bring back. Now and then a client that writes reads the
entry that it wrote last, as `read-your-writes` is about a client's own writes. Client c asks the member at address c
(modulo the number of addresses), so that there are clients on both sides of every cut.

The same scenario can be simulated, or played on real members: these follow every field of the scenario, or a field that
they cannot follow is refused by its name before anything starts. The fields in `IN_OWN_TIME` are about the simulator's
clock, and have no meaning for members with a clock of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from gridproof_implementation.adapter import MEMBERS_MAX, Adapter, AsyncBackups, Options
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.fault import LiveSetting
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.operations import needed_for, offered, writes_several
from gridproof_implementation.simulator.distributions import Zipf
from gridproof_implementation.simulator.draw_options import Prescribed
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Load, draw_place
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_implementation.simulator.workloads.entries import KEYS
from gridproof_implementation.simulator.workloads.entries import NAME as OF_ITS_OWN_KEYS
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, StructureKind
from gridproof_model.trace import OperationKind

DAY_MS = 86_400_000
IN_OWN_TIME = ("straggling_ms", "lasting_ms")
"""Fields about how long a simulated run waits; a live run waits until its clients are done and the grid is at rest."""
ONLY_SIMULATED = ("arranged", "job", "latency", "placement", "away")
"""Fields that real members decide themselves, or that a live run does not give them."""
_USUAL = Scenario(0)


def why_not_followed(scenario: Scenario, adapter: Adapter, hello: Hello) -> str | None:
    """Return the first field of a scenario that a system cannot follow, by name, with the cure."""
    return next(_refusals(scenario, adapter, hello), None)


def options_of(scenario: Scenario, adapter: Adapter, hello: Hello, options: Options) -> Options:
    """Return the options for a fleet whose members are as a scenario says."""
    per_founder = 1 + scenario.backups.total if hello.traits.bound else 1
    wanted = replace(
        options,
        seed=scenario.seed,
        member_count=scenario.members // per_founder,
        backup_count=scenario.backups.total,
        async_backup_count=scenario.async_backups,
        partition_count=scenario.partition_count,
    )
    is_split = (scenario.merge_policy, scenario.quorum) != (_USUAL.merge_policy, _USUAL.quorum)
    if options.config is None and not (scenario.zones or scenario.properties or is_split):
        return wanted
    given = options.config or scenario.config()
    config = replace(scenario.config(), taken=given.taken, notes=given.notes)
    structure = config.structure_config(StructureKind.MAP, "default") if is_split else None
    return replace(wanted, config=config, structure=structure)


def group_of(scenario: Scenario, address_index: int) -> str | None:
    """Return the partition group of the member at an address; None if each member is a group by itself."""
    return f"zone-{address_index % scenario.zones}" if scenario.zones else None


def _refusals(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    yield from _of_size(scenario, adapter, hello)
    for name in ONLY_SIMULATED:
        if getattr(scenario, name) != getattr(_USUAL, name):
            yield f"{name} can be simulated only, not given to real members; `gridproof replay` plays it"
    founders = ", since its members are founded together" if hello.traits.founders else ""
    for name, offer, words in (("lite", "lite", "lite members"), ("zones", "groups", "groups of members")):
        if getattr(scenario, name) and (founders or offer not in hello.offers):
            said = _said(getattr(scenario, name))
            yield f"{name} is {said}: the agent of {adapter.name} offers no {words}{founders}; leave it out"
    if any(not 0 <= index < scenario.members for index in scenario.lite):
        yield f"lite is {scenario.lite}: write addresses from 0 to {scenario.members - 1}"
    if len(set(scenario.lite)) >= scenario.members:
        yield "lite names every member, and one at least has to hold data; leave one out"
    split = {"merge_policy": DEFAULT_MERGE_POLICY, "quorum": 0, "properties": ()}
    for name, usual in split.items():
        if getattr(scenario, name) != usual and not adapter.takes_config:
            yield f"{name} is {_said(getattr(scenario, name))}: {adapter.name} takes no configuration; leave it out"
    if not 0 <= scenario.quorum <= scenario.members:
        yield f"quorum is {scenario.quorum}: write 0 to {scenario.members}, the number of members"
    yield from _of_operations(scenario, adapter, hello)
    for one in scenario.fault_events():
        if hello.traits.attached and one.amount:
            yield f"fault_events: {one.fault} of amount {one.amount} needs hosts that gridproof starts; leave it out"
        yield from _of_fault_event(one, scenario.members)


def _of_size(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    members, backups, founders = scenario.members, scenario.backups.total, hello.traits.founders
    if not 1 <= members <= MEMBERS_MAX:
        yield f"members is {members}: write a number from 1 to {MEMBERS_MAX}"
    per_founder = 1 + backups if hello.traits.bound else 1
    if (attached := hello.traits.attached) and members != attached:
        yield f"members is {members}: {adapter.name} has {attached} members that run already; write {attached}"
    if founders and not attached and (members % per_founder or members < founders * per_founder):
        yield f"members is {members}: {adapter.name} with --backups {backups} needs {founders * per_founder} to start"
    if hello.partitions is not None and scenario.partition_count != hello.partitions:
        yield f"partition_count is {scenario.partition_count}: {adapter.name} has {hello.partitions} partitions"
    asynchronous, follows = scenario.async_backups, adapter.async_backups
    if asynchronous and follows is AsyncBackups.NONE:
        yield f"async_backups is {asynchronous}: {adapter.name} has no async backups; write 0"
    if follows is AsyncBackups.ALL and asynchronous not in (0, backups):
        yield f"async_backups is {asynchronous}: with {adapter.name} a caller waits for {follows}, which is {backups}"


def _of_operations(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    for script in scenario.scripts:
        for one in script.client_operations:
            needed = needed_for(one)
            if needed is not None and needed not in offered(hello):
                yield f"client_operations ask for {needed}, which the agent of {adapter.name} does not offer"
            if one.client < 0 or not 0 <= one.pause_ms <= DAY_MS:
                yield f"client_operations: {one.kind} of {one.key!r} needs a client from 0, and a pause in a day"
            several, values = writes_several(one), (one.value or "").split()
            if not one.keys or (len(one.keys) > 1 and not several and one.kind is not OperationKind.REMOVE):
                yield f"client_operations: {one.kind} of {one.key!r} needs one key"
            if several and len(one.keys) != len(values):
                yield f"client_operations: {one.kind} of {one.key!r} needs one value for each key, not {len(values)}"


def _of_fault_event(one: FaultEvent, members: int) -> Iterator[str]:
    fault = LIVE_FAULTS_BY_NAME[one.fault]
    if one.step or one.share:
        yield f"fault_events: step and share of {one.fault} apply to simulated messages only; leave them out"
    if one.amount not in fault.amounts(members):
        yield f"fault_events: real members cannot be given {one.fault} of amount {one.amount}; leave it out"
    many = len(one.address_indices)
    if not many or (many > 1 and not fault.takes_several):
        yield f"fault_events: {one.fault} needs {'some addresses' if fault.takes_several else 'exactly one address'}"
    if any(index < 0 for index in one.address_indices):
        yield f"fault_events: {one.fault} names {one.who}; addresses are counted from 0"
    if not (0 <= one.at_ms <= DAY_MS and 0 <= one.for_ms <= DAY_MS):
        yield f"fault_events: {one.fault} at {one.at_ms} ms for {one.for_ms} ms: write times from 0 to a day"


def _said(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    return ", ".join("=".join(one) if isinstance(one, tuple) else str(one) for one in value)


REGISTER = "register"
CLIENTS, CLIENTS_MAX = 6, 500
REGISTERS = 4
KEYS_MAX, RATE_MAX, DURATION_MAX_S, OPERATIONS_MAX = 10_000, 10_000, 3_600, 80_000
"""The most keys, the highest rate, the longest time, and the most operations of a drawn scenario."""
OWN_KEYS_MAX = 2_000
"""How many entries there are in all that only one client writes; at rest, each of these entries is read twice."""
CYCLES = 3
"""How many faults there are, one in each cycle, if the user does not say how long clients are at work."""
PAUSE_MS = 30
"""About how long a client waits between an answer and its next question."""
BEFORE_MS, AFTER_MS = 2_000, 3_000
"""How long clients are at work before the first fault, and after the last fault."""
SECOND_FAULT_EVENT_SHARE = 0.3
CHANGED_SHARE = 0.25
"""The share of writes that change an entry which the same client wrote earlier, often before the fault began."""
OWN_READ_EVERY = 8
"""After each such number of operations, a client that writes reads the entry that it wrote last."""


@dataclass(frozen=True, slots=True)
class LiveLoad:
    """How many operations clients ask for, and on how many keys."""

    clients: int = CLIENTS
    rate: float | None = None
    """Operations per second of all clients together, if each is answered at once; None for short pauses only."""
    duration_ms: int | None = None
    """How long clients are at work; if None, they work until some seconds after the last fault."""
    keys: int | None = None
    """How many keys the clients share; None for a few shared keys, and for entries that only one client writes."""
    popularity: Zipf | None = None
    """The popularity of the shared keys; None if all are equally popular."""

    @property
    def pause_ms(self) -> float:
        """The mean pause of a client before each operation."""
        return 1.25 * PAUSE_MS if self.rate is None else 1_000 * self.clients / self.rate

    def draw_pause_ms(self, rng: Random) -> int:
        """Draw a pause that is near the mean."""
        if self.rate is None:
            return rng.randint(PAUSE_MS // 2, 2 * PAUSE_MS)
        return round(self.pause_ms * (0.5 + rng.random()))

    def why_not_shared(self, workload: str) -> str | None:
        """Return why the clients of a workload cannot follow the options about keys; None if they can."""
        given = [f"--{name}" for name in ("keys", "popularity") if getattr(self, name) is not None]
        if workload != OF_ITS_OWN_KEYS or not given:
            return None
        return f"{given[0]}: --workload {workload} writes to {KEYS} keys of its own; leave {given[0]} out"

    def why_too_much(self, patience_ms: int) -> str | None:
        """Return why the load is out of bounds, with the option and its bounds; None if it is within them."""
        bounds: Mapping[str, tuple[float | None, float, float]] = {
            "clients": (self.clients, 1, CLIENTS_MAX), "rate": (self.rate, 0.01, RATE_MAX),
            "duration": (None if self.duration_ms is None else self.duration_ms / 1_000, 1, DURATION_MAX_S),
            "keys": (self.keys, 1, KEYS_MAX),
        }  # fmt: skip
        for name, (given, least, most) in bounds.items():
            if given is not None and not least <= given <= most:
                return f"--{name} {given:g}: write a number from {least:g} to {most:,}"
        # In the longest drawn scenario clients work before a fault begins, during a long fault, and after it.
        span_ms = self.duration_ms or 2 * BEFORE_MS + 4 * patience_ms + AFTER_MS
        if (asked := span_ms * self.clients / max(self.pause_ms, 0.01)) > OPERATIONS_MAX:
            many = f"{self.clients} clients for {span_ms / 1_000:g} s are about {asked:,.0f} operations"
            return f"{many}, and a scenario has at most {OPERATIONS_MAX:,}; lower --clients, --rate or --duration"
        return None


@dataclass(frozen=True, slots=True)
class Cycle:
    """The times in a cycle of faults, which begin and heal again and again."""

    on_ms: int
    off_ms: int

    @property
    def whole_ms(self) -> int:
        """The time from the beginning of one fault to the beginning of the next."""
        return self.on_ms + self.off_ms

    @property
    def usual_ms(self) -> int:
        """How long clients are at work if the user does not say: long enough for a few faults."""
        return BEFORE_MS + CYCLES * self.whole_ms


@dataclass(frozen=True, slots=True)
class LiveDrawOptions:
    """The options by which a live scenario is drawn."""

    members: int
    """How many addresses there are, including those of founders and of members that are only backups."""
    backups: int
    async_backups: int
    partition_count: int
    patience_ms: int
    faults: Sequence[str]
    """The names of the faults to choose from; empty for a calm run."""
    networked: bool
    workload: str = REGISTER
    off: frozenset[OperationKind] = frozenset()
    """The kinds of operations that no client asks for, as far as the workload can do without these kinds."""
    prescribed: Prescribed | None = None
    """What a user's configuration prescribes, apart from the numbers of members, partitions and backups."""
    load: LiveLoad = field(default_factory=LiveLoad)
    cycle: Cycle | None = None
    """The times of a cycle of faults; None for one or two drawn faults."""


def draw_live_scenario(seed: int, draw_options: LiveDrawOptions) -> Scenario:
    """Return the scenario of a seed: one script, with one or two faults, or with as many as a cycle has."""
    rng = Random(f"live {seed}")
    load, cycle = draw_options.load, draw_options.cycle
    work_ms = load.duration_ms or 4 * BEFORE_MS
    setting = LiveSetting(draw_options.members, work_ms, draw_options.patience_ms, draw_options.networked)
    fault_events = (
        _draw_fault_events(rng, setting, draw_options.faults)
        if cycle is None
        else tuple(_draw_cycle(rng, setting, draw_options.faults, cycle))
    )
    last_ms = max((fault_event.at_ms + fault_event.for_ms for fault_event in fault_events), default=BEFORE_MS)
    span_ms = load.duration_ms or last_ms + AFTER_MS
    client_operations = _draw_all(rng, draw_options, span_ms)
    scenario = Scenario(
        seed,
        members=draw_options.members,
        sync_backups=draw_options.backups - draw_options.async_backups,
        async_backups=draw_options.async_backups,
        partition_count=draw_options.partition_count,
        workload=draw_options.workload,
        scripts=(Script(tuple(client_operations), fault_events),),
    )
    return scenario if draw_options.prescribed is None else draw_options.prescribed.shape(scenario)


def _draw_fault_events(rng: Random, setting: LiveSetting, names: Sequence[str]) -> tuple[FaultEvent, ...]:
    if not names:
        return ()
    count = 2 if rng.random() < SECOND_FAULT_EVENT_SHARE else 1
    drawn = [LIVE_FAULTS_BY_NAME[rng.choice(names)].draw(rng, setting) for _ in range(count)]
    return tuple(sorted(drawn, key=lambda fault_event: fault_event.at_ms))


def _draw_cycle(rng: Random, setting: LiveSetting, names: Sequence[str], cycle: Cycle) -> Iterator[FaultEvent]:
    """Draw faults of equal length, one after another, until the clients' work is over."""
    first_ms = min(BEFORE_MS, setting.span_ms // 2)
    for number, at_ms in enumerate(range(first_ms, setting.span_ms, cycle.whole_ms)):
        drawn = LIVE_FAULTS_BY_NAME[names[number % len(names)]].draw(rng, setting)
        yield replace(drawn, at_ms=at_ms, for_ms=cycle.on_ms if drawn.for_ms else 0)


def _draw_all(rng: Random, draw_options: LiveDrawOptions, span_ms: int) -> Sequence[ClientOperation]:
    """Draw the operations of all clients; a workload other than registers is drawn as in the simulator."""
    load = draw_options.load
    if draw_options.workload == REGISTER:
        clients = range(load.clients)
        return [one for client in clients for one in _draw_client_operations(rng, load, client, span_ms)]
    longest_ms = 6 * PAUSE_MS if load.rate is None else max(1, round(3 * load.pause_ms))
    # The mean pause is a third of the longest pause.
    count = load.clients * 3 * span_ms // longest_ms
    asked = Load(count, load.clients, longest_ms, off=draw_options.off, keys=load.keys or 0, popularity=load.popularity)
    return get_workload(draw_options.workload).draw(rng, asked)


def _draw_client_operations(rng: Random, load: LiveLoad, client: int, span_ms: int) -> Sequence[ClientOperation]:
    """Return one client's operations: clients with odd numbers only read, and the others mostly write."""
    shared = Load(0, load.clients, 0, keys=load.keys or 0, popularity=load.popularity)
    own_max = 0 if load.keys is not None else max(1, 2 * OWN_KEYS_MAX // load.clients)
    owned = 0
    client_operations: list[ClientOperation] = []
    own: list[str] = []
    passed_ms = 0
    while passed_ms < span_ms:
        pause_ms = load.draw_pause_ms(rng)
        passed_ms += max(pause_ms, 1)
        register = f"{REGISTER}-{draw_place(rng, shared, REGISTERS, lambda: rng.randrange(REGISTERS))}"
        name = f"v{client}x{len(client_operations)}"
        share = 0.0 if client % 2 else rng.random()
        is_own_read = len(client_operations) % OWN_READ_EVERY == OWN_READ_EVERY - 1
        kind, key = OperationKind.WRITE, register
        value: str | None = name
        if client % 2 or is_own_read:
            kind, key, value = OperationKind.READ, register if client % 2 else client_operations[-1].key, None
        elif share < CHANGED_SHARE and own:
            key = own.pop(rng.randrange(len(own)))
        elif share >= 0.5 and owned < own_max:
            key = f"{REGISTER}-{name}"
            own.append(key)
            owned += 1
        client_operations.append(ClientOperation(REGISTER, kind, key, value, client, pause_ms))
    return client_operations
