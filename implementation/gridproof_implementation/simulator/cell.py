"""What a user sets of a simulated run.

Members, backups, faults and workload stand in `draw.DrawOptions`, all else here. A cell of a campaign sets all that
matters; a single run may set one thing and have the rest drawn by its seed. What is set has dice of its own, by seed:
equal seeds of two cells have the same arrivals and, crash rates apart, the same crashes, so that cells are compared on
common random numbers.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from random import Random

from gridproof_implementation.simulator.distributions import (
    Distribution,
    Exponential,
    Zipf,
    draw_us,
    write_distribution,
)
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import Attributes, ClientOperation, FaultEvent, Scenario
from gridproof_implementation.simulator.workload import Load
from gridproof_model.partition_table import MAX_BACKUP_COUNT

Anew = tuple[float, str]
"""A moment, in microseconds since clients began, and the seed of the dice from then on; what happens at it has the old
ones."""
WHOLE_SCRIPT_MS = 1_000_000_000
"""Longer than clients are ever at work: what happens to the network lasts until faults are stopped."""
MILLION = 1_000_000
CLIENTS, PAUSE_MS = 4, 20
"""Of a plain grid, where nobody says otherwise."""
REPAIR = Exponential(10e6)
"""How long a crashed member is away, where nobody says: 10 s on average."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is set; None or empty where the seed draws it, or a plain grid has its usual value."""

    plain: bool = False
    """Whether nothing is drawn that shapes the grid: members, groups, properties and operations are as they are set."""
    async_backups: int | None = None
    acks_async: bool = False
    """Whether callers wait for no backup: sync backups are kept as async ones."""
    partitions: int | None = None
    groups: int | None = None
    """Partition groups the members are spread over; 0 where each is one by itself."""
    placement: str | None = None
    properties: Attributes = ()
    """Properties of the configuration, by name."""
    quick: bool = False
    """Whether everything periodic happens as often as in most drawn grids."""
    clients: int | None = None
    pause_ms: int | None = None
    """The longest pause of a client between two operations."""
    keys: int | None = None
    popularity: Zipf | None = None
    reads_backups: bool | None = None
    arrival: Distribution | None = None
    """Time between two operations, whoever asks: an open loop. None where each client waits for its answers."""
    time_ms: int | None = None
    """How long operations arrive."""
    latency: Distribution | None = None
    lag: Distribution | None = None
    loss: float | None = None
    crash: Distribution | None = None
    """How long a member lives."""
    repair: Distribution | None = None
    """How long a member that crashed is away."""

    def shape(self, scenario: Scenario) -> Scenario:
        """Return a scenario with what is set of its grid."""
        sync = scenario.sync_backups
        asynchronous = scenario.async_backups if self.async_backups is None else self.async_backups
        if self.acks_async:
            sync, asynchronous = 0, sync + asynchronous
        properties = dict(scenario.properties) | (dict(QUICK) if self.quick else {}) | dict(self.properties)
        return replace(
            scenario,
            sync_backups=sync,
            async_backups=min(asynchronous, MAX_BACKUP_COUNT - sync),
            partition_count=scenario.partition_count if self.partitions is None else self.partitions,
            zones=scenario.zones if self.groups is None else self.groups,
            placement=self.placement or scenario.placement,
            properties=tuple(sorted(properties.items())),
            latency=write_distribution(self.latency) if self.latency is not None else scenario.latency,
        )

    def load(self, load: Load) -> Load:
        """Return how much of what is drawn, with what is set of it."""
        return replace(
            load,
            clients=self.clients or (CLIENTS if self.plain else load.clients),
            pause_ms=self.pause_ms if self.pause_ms is not None else (PAUSE_MS if self.plain else load.pause_ms),
            structures=1 if self.plain else load.structures,
            off=frozenset() if self.plain else load.off,
            reads_backups=bool(self.reads_backups)
            if self.plain or self.reads_backups is not None
            else load.reads_backups,
            backup_read_share=1.0 if self.reads_backups else load.backup_read_share,
            keys=self.keys or load.keys,
            popularity=self.popularity or load.popularity,
        )

    def arrivals_ms(self, seed: int, script: int) -> Iterator[int]:
        """Yield when operations arrive, in milliseconds since clients began; without an end where none is set."""
        rng, at_us = Random(f"arrivals of {seed} {script}"), 0.0
        while self.arrival is not None:
            at_us += draw_us(self.arrival, rng)
            if self.time_ms is not None and at_us >= self.time_ms * 1_000:
                return
            yield int(at_us // 1_000)

    def operations(self, seed: int, script: int, usual: int) -> int:
        """Return how many operations a script has: as many as arrive in the time that is set, else the usual number."""
        if self.arrival is None or self.time_ms is None:
            return usual
        return max(1, sum(1 for _ in self.arrivals_ms(seed, script)))

    def arrange(self, operations: Sequence[ClientOperation], seed: int, script: int) -> Sequence[ClientOperation]:
        """Return the operations as they arrive: in an open loop each is a client's of its own, that waits for nobody.

        A client does one thing at a time, whatever judges it: who waits for no answer is another client.
        """
        if self.arrival is None:
            return operations
        moments = self.arrivals_ms(seed, script)
        return [
            operation.dealt(number, at_ms)
            for number, operation, at_ms in zip(count(), operations, moments, strict=False)
        ]

    def named_faults(self) -> Sequence[str]:
        """Return the names of the faults that are set."""
        is_set = {"loss": bool(self.loss), "lag": self.lag is not None, "crash": self.crash is not None}
        return [name for name, named in is_set.items() if named]

    def faults(self, scenario: Scenario, script: int, span_ms: int, anew: Sequence[Anew] = ()) -> Sequence[FaultEvent]:
        """Return the faults that are set, for clients that are at work so long; crashes may be drawn `anew`."""
        everywhere = tuple(range(scenario.members))
        found = []
        if self.loss:
            found.append(FaultEvent("loss", 0, WHOLE_SCRIPT_MS, everywhere, round(self.loss * MILLION)))
        if self.lag is not None:
            found.append(FaultEvent("lag", 0, WHOLE_SCRIPT_MS, everywhere, step=write_distribution(self.lag)))
        if self.crash is not None:
            for address_index in everywhere:
                found += renewals(
                    self.crash, self.repair or REPAIR, scenario.seed, script, address_index, span_ms, anew
                )
        return found


DRAWN_CELL = Cell()
"""Nothing is set."""


def renewals(
    life: Distribution,
    repair: Distribution,
    seed: int,
    script: int,
    address_index: int,
    span_ms: int,
    anew: Sequence[Anew] = (),
) -> Iterator[FaultEvent]:
    """Yield the crashes of one member: it lives, is away, and lives again, each for a time of its own.

    An alternating renewal process; lives and repairs have dice of their own. From each moment of `anew` on, in their
    order, these are others.
    """
    dice, at_us = _RenewalDice(address_index, f"{seed} {script}", deque(anew)), 0.0
    while True:
        at_us += dice.draw(life, "crashes", partial(_life_ends_ms, at_us))
        if at_us >= span_ms * 1_000:
            return
        away_us = dice.draw(repair, "repairs", partial(_repair_ends_ms, at_us))
        crash_ms = _life_ends_ms(at_us, 0.0)
        yield FaultEvent("crash", crash_ms, _repair_ends_ms(at_us, away_us) - crash_ms, (address_index,))
        at_us += max(away_us, 1_000.0)


@dataclass(slots=True)
class _RenewalDice:
    """Draws lives and repairs of one address."""

    address_index: int
    seed: str
    ahead: deque[Anew]
    """Moments that have not come yet."""
    _dice: dict[str, Random] = field(default_factory=dict)

    def draw(self, distribution: Distribution, what: str, ends_ms: Callable[[float], int]) -> float:
        """Draw how long a life or a repair is; a moment that comes before its end draws again what goes beyond it.

        Again and again until it does: that is the distribution of what is left, whatever the distribution.
        """
        time_us = draw_us(distribution, self._dice_of(what))
        while self.ahead and ends_ms(time_us) * 1_000 > self.ahead[0][0]:
            moment_us, self.seed = self.ahead.popleft()
            self._dice.clear()
            time_us = draw_us(distribution, self._dice_of(what))
            while ends_ms(time_us) * 1_000 <= moment_us:
                time_us = draw_us(distribution, self._dice_of(what))
        return time_us

    def _dice_of(self, what: str) -> Random:
        if what not in self._dice:
            self._dice[what] = Random(f"{what} of {self.address_index} {self.seed}")
        return self._dice[what]


def _life_ends_ms(since_us: float, life_us: float) -> int:
    return int((since_us + life_us) // 1_000)


def _repair_ends_ms(since_us: float, away_us: float) -> int:
    return int(since_us // 1_000) + max(1, round(away_us / 1_000))
