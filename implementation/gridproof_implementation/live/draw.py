"""Scenarios for a live fleet, drawn from a seed.

The value is the simulator's, and every part that the simulator has too means the same there. Clients are shaped by what
can see something (docs/faults-on-live-systems.md): half of them only read, for one that mixes blocks on its writes
behind a cut and stops reading; few registers are fought for; and half of the writes are of entries that nobody else
writes, so that what is lost has a name: some write a new one, some change one of before, which a merge may bring back.
Client c is at the member at address c, counted round, so there are some on both sides of every cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from gridproof_implementation.live.fault import LiveSetting
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.prescribed import Prescribed
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Load
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_model.trace import OperationKind

REGISTER = "register"
CLIENTS = 6
REGISTERS = 4
PAUSE_MS = 30
"""How long a client waits between an answer and the next question, about."""
BEFORE_MS, AFTER_MS = 2_000, 3_000
"""How long clients are at work before the first fault, and after the last."""
SECOND_FAULT_EVENT_SHARE = 0.3
CHANGED_SHARE = 0.25
"""Writes that change an entry of the client's own, which it wrote before; often before a fault began."""


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


def draw_live_scenario(seed: int, draw_options: LiveDrawOptions) -> Scenario:
    """Return the scenario of a seed: one script, with one fault or two."""
    rng = Random(f"live {seed}")
    setting = LiveSetting(draw_options.members, 4 * BEFORE_MS, draw_options.patience_ms, draw_options.networked)
    fault_events = _draw_fault_events(rng, setting, draw_options.faults)
    span_ms = (
        max((fault_event.at_ms + fault_event.for_ms for fault_event in fault_events), default=BEFORE_MS) + AFTER_MS
    )
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


def _draw_all(rng: Random, draw_options: LiveDrawOptions, span_ms: int) -> Sequence[ClientOperation]:
    """Draw what all clients ask for; of another workload as the simulator does."""
    if draw_options.workload == REGISTER:
        return [one for client in range(CLIENTS) for one in _draw_client_operations(rng, client, span_ms)]
    longest_ms = 6 * PAUSE_MS
    # The mean pause is a third of the longest.
    count = CLIENTS * 3 * span_ms // longest_ms
    return get_workload(draw_options.workload).draw(rng, Load(count, CLIENTS, longest_ms, off=draw_options.off))


def _draw_client_operations(rng: Random, client: int, span_ms: int) -> Sequence[ClientOperation]:
    """What one client asks for: odd ones only read."""
    client_operations: list[ClientOperation] = []
    own: list[str] = []
    passed_ms = 0
    while passed_ms < span_ms:
        pause_ms = rng.randint(PAUSE_MS // 2, 2 * PAUSE_MS)
        passed_ms += pause_ms
        register = f"{REGISTER}-{rng.randrange(REGISTERS)}"
        name = f"v{client}x{len(client_operations)}"
        if client % 2:
            client_operations.append(ClientOperation(REGISTER, OperationKind.READ, register, None, client, pause_ms))
        else:
            share = rng.random()
            if share < CHANGED_SHARE and own:
                key = own.pop(rng.randrange(len(own)))
            elif share < 0.5:
                key = register
            else:
                key = f"{REGISTER}-{name}"
                own.append(key)
            client_operations.append(ClientOperation(REGISTER, OperationKind.WRITE, key, name, client, pause_ms))
    return client_operations
