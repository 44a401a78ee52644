"""Scenarios for a live fleet, drawn from a seed.

The value is the simulator's, and every part that the simulator has too means the same there. Clients are shaped by what
can see something (live-systems 10): half of them only read, for one that mixes blocks on its writes behind a cut and
stops reading; few registers are fought for; and every other write is the only one of its key, so that what is lost has
a name. Client c is at the member of seat c, counted round, so there are some on both sides of every cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from gridproof_implementation.live.fault import LiveSetting
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import Errand, Scenario, Script, Strike
from gridproof_model.trace import OperationKind

WORKLOAD = "register"
CLIENTS = 6
REGISTERS = 4
PAUSE_MS = 30
"""How long a client waits between an answer and the next question, about."""
BEFORE_MS, AFTER_MS = 2_000, 3_000
"""How long clients are at work before the first fault, and after the last."""
SECOND_STRIKE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class LiveWishes:
    """For what a scenario is drawn."""

    members: int
    """Seats: with members that are backups, and founders."""
    backups: int
    async_backups: int
    partition_count: int
    patience_ms: int
    faults: Sequence[str]
    """Names to choose from; none for a calm run."""
    networked: bool


def draw_live_scenario(seed: int, wishes: LiveWishes) -> Scenario:
    """Return the scenario of a seed: one script, with one fault or two."""
    rng = Random(f"live {seed}")
    setting = LiveSetting(wishes.members, 4 * BEFORE_MS, wishes.patience_ms, wishes.networked)
    strikes = _draw_strikes(rng, setting, wishes.faults)
    span_ms = max((strike.at_ms + strike.for_ms for strike in strikes), default=BEFORE_MS) + AFTER_MS
    errands = [errand for client in range(CLIENTS) for errand in _draw_errands(rng, client, span_ms)]
    return Scenario(
        seed,
        members=wishes.members,
        sync_backups=wishes.backups - wishes.async_backups,
        async_backups=wishes.async_backups,
        partition_count=wishes.partition_count,
        workload=WORKLOAD,
        scripts=(Script(tuple(errands), strikes),),
    )


def _draw_strikes(rng: Random, setting: LiveSetting, names: Sequence[str]) -> tuple[Strike, ...]:
    if not names:
        return ()
    count = 2 if rng.random() < SECOND_STRIKE_SHARE else 1
    drawn = [LIVE_FAULTS_BY_NAME[rng.choice(names)].draw(rng, setting) for _ in range(count)]
    return tuple(sorted(drawn, key=lambda strike: strike.at_ms))


def _draw_errands(rng: Random, client: int, span_ms: int) -> Sequence[Errand]:
    """What one client asks for: odd ones only read."""
    errands: list[Errand] = []
    passed_ms = 0
    while passed_ms < span_ms:
        pause_ms = rng.randint(PAUSE_MS // 2, 2 * PAUSE_MS)
        passed_ms += pause_ms
        register = f"{WORKLOAD}-{rng.randrange(REGISTERS)}"
        name = f"v{client}x{len(errands)}"
        if client % 2:
            errands.append(Errand(WORKLOAD, OperationKind.READ, register, None, client, pause_ms))
        elif rng.random() < 0.5:
            errands.append(Errand(WORKLOAD, OperationKind.WRITE, register, name, client, pause_ms))
        else:
            errands.append(Errand(WORKLOAD, OperationKind.WRITE, f"{WORKLOAD}-{name}", name, client, pause_ms))
    return errands
