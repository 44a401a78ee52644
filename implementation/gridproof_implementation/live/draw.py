"""Scenarios for a live fleet, drawn from a seed.

The value is the simulator's, and every part that the simulator has too means the same there. Clients are shaped by what
can see something (docs/faults-on-live-systems.md): half of them only read, for one that mixes blocks on its writes
behind a cut and stops reading; few registers are fought for; and half of the writes are of entries that nobody else
writes, so that what is lost has a name: some write a new one, some change one of before, which a merge may bring back.
Now and then who writes reads what it wrote last, as `read-your-writes` is of a client's own writes.
Client c is at the member at address c, counted round, so there are some on both sides of every cut.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from gridproof_implementation.live.fault import LiveSetting
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.distributions import Zipf
from gridproof_implementation.simulator.prescribed import Prescribed
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Load, draw_place
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_implementation.simulator.workloads.entries import KEYS
from gridproof_implementation.simulator.workloads.entries import NAME as OF_ITS_OWN_KEYS
from gridproof_model.trace import OperationKind

REGISTER = "register"
CLIENTS, CLIENTS_MAX = 6, 500
REGISTERS = 4
KEYS_MAX, RATE_MAX, DURATION_MAX_S, OPERATIONS_MAX = 10_000, 10_000, 3_600, 80_000
"""So many operations a file of a scenario holds."""
OWN_KEYS_MAX = 2_000
"""Entries that nobody else writes, in all: each is read at rest, twice."""
CYCLES = 3
"""How often a fault comes again where nobody says for how long clients are at work."""
PAUSE_MS = 30
"""How long a client waits between an answer and the next question, about."""
BEFORE_MS, AFTER_MS = 2_000, 3_000
"""How long clients are at work before the first fault, and after the last."""
SECOND_FAULT_EVENT_SHARE = 0.3
CHANGED_SHARE = 0.25
"""Writes that change an entry of the client's own, which it wrote before; often before a fault began."""
OWN_READ_EVERY = 8
"""Of so many operations of a client that writes the last reads what the one before wrote."""


@dataclass(frozen=True, slots=True)
class LiveLoad:
    """How much clients ask for."""

    clients: int = CLIENTS
    rate: float | None = None
    """Operations a second, of all clients together, as long as each is answered at once; None for short pauses."""
    duration_ms: int | None = None
    """How long clients are at work; None for until a while behind the last fault."""
    keys: int | None = None
    """Keys that all clients share; None for a few, and entries that only one of them writes."""
    popularity: Zipf | None = None
    """Of the keys that they share; None for all alike."""

    @property
    def pause_ms(self) -> float:
        """The mean pause of a client before it asks."""
        return 1.25 * PAUSE_MS if self.rate is None else 1_000 * self.clients / self.rate

    def draw_pause_ms(self, rng: Random) -> int:
        """Draw a pause around the mean."""
        if self.rate is None:
            return rng.randint(PAUSE_MS // 2, 2 * PAUSE_MS)
        return round(self.pause_ms * (0.5 + rng.random()))

    def why_not_shared(self, workload: str) -> str | None:
        """Return why the clients of a workload cannot be given what is asked for of keys; None where they can."""
        given = [f"--{name}" for name in ("keys", "popularity") if getattr(self, name) is not None]
        if workload != OF_ITS_OWN_KEYS or not given:
            return None
        return f"{given[0]}: --workload {workload} writes several of its own {KEYS} keys in one call; leave it out"

    def why_too_much(self, patience_ms: int) -> str | None:
        """Return why nobody can be given this load, as an option and its bounds; None where it is fine."""
        bounds: Mapping[str, tuple[float | None, float, float]] = {
            "clients": (self.clients, 1, CLIENTS_MAX), "rate": (self.rate, 0.01, RATE_MAX),
            "duration": (None if self.duration_ms is None else self.duration_ms / 1_000, 1, DURATION_MAX_S),
            "keys": (self.keys, 1, KEYS_MAX),
        }  # fmt: skip
        for name, (given, least, most) in bounds.items():
            if given is not None and not least <= given <= most:
                return f"--{name} {given:g}: write a number from {least:g} to {most:,}"
        # Of a drawn scenario: until the middle, a long fault, and a while.
        span_ms = self.duration_ms or 2 * BEFORE_MS + 4 * patience_ms + AFTER_MS
        if (asked := span_ms * self.clients / max(self.pause_ms, 0.01)) > OPERATIONS_MAX:
            many = f"{self.clients} clients for {span_ms / 1_000:g} s are about {asked:,.0f} operations"
            return f"{many}, and a scenario has at most {OPERATIONS_MAX:,}; lower --clients, --rate or --duration"
        return None


@dataclass(frozen=True, slots=True)
class Cycle:
    """Faults that come and go in turn."""

    on_ms: int
    off_ms: int

    @property
    def whole_ms(self) -> int:
        """From the begin of one to the begin of the next."""
        return self.on_ms + self.off_ms

    @property
    def usual_ms(self) -> int:
        """How long clients are at work where nobody says: for a few of them."""
        return BEFORE_MS + CYCLES * self.whole_ms


@dataclass(frozen=True, slots=True)
class LiveDrawOptions:
    """For what a scenario is drawn."""

    members: int
    """Addresses: with members that are backups, and founders."""
    backups: int
    async_backups: int
    partition_count: int
    patience_ms: int
    faults: Sequence[str]
    """Names to choose from; none for a calm run."""
    networked: bool
    workload: str = REGISTER
    off: frozenset[OperationKind] = frozenset()
    """Kinds of operations that nobody asks for, where the workload can do without them."""
    prescribed: Prescribed | None = None
    """What a user's configuration says besides counts."""
    load: LiveLoad = field(default_factory=LiveLoad)
    cycle: Cycle | None = None
    """How long faults last, each in turn; None for one or two, as they are drawn."""


def draw_live_scenario(seed: int, draw_options: LiveDrawOptions) -> Scenario:
    """Return the scenario of a seed: one script, with one fault or two, or as many as a cycle has."""
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
    """Draw faults in turn until the work is over, each as long as the others."""
    first_ms = min(BEFORE_MS, setting.span_ms // 2)
    for number, at_ms in enumerate(range(first_ms, setting.span_ms, cycle.whole_ms)):
        drawn = LIVE_FAULTS_BY_NAME[names[number % len(names)]].draw(rng, setting)
        yield replace(drawn, at_ms=at_ms, for_ms=cycle.on_ms if drawn.for_ms else 0)


def _draw_all(rng: Random, draw_options: LiveDrawOptions, span_ms: int) -> Sequence[ClientOperation]:
    """Draw what all clients ask for; of another workload as the simulator does."""
    load = draw_options.load
    if draw_options.workload == REGISTER:
        clients = range(load.clients)
        return [one for client in clients for one in _draw_client_operations(rng, load, client, span_ms)]
    longest_ms = 6 * PAUSE_MS if load.rate is None else max(1, round(3 * load.pause_ms))
    # The mean pause is a third of the longest.
    count = load.clients * 3 * span_ms // longest_ms
    asked = Load(count, load.clients, longest_ms, off=draw_options.off, keys=load.keys or 0, popularity=load.popularity)
    return get_workload(draw_options.workload).draw(rng, asked)


def _draw_client_operations(rng: Random, load: LiveLoad, client: int, span_ms: int) -> Sequence[ClientOperation]:
    """What one client asks for: odd ones only read, others nearly only write."""
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
