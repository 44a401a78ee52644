"""The parameters that a user sets for a simulated run.

Members, backups, faults and workload are set in `draw_options.DrawOptions`, all other parameters here. A cell of a
campaign sets every parameter that matters; a single run may set one parameter, and let the seed draw the others. If
arrivals or crashes are set, they have random generators of their own that depend on the seed: two cells with equal
seeds have the same arrivals and, at equal crash rates, the same crashes, so that cells are compared on common random
numbers."""

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
"""A moment, in microseconds since clients began, and the seed of the random numbers after this moment; events at the
moment itself still have the old random numbers."""
WHOLE_SCRIPT_MS = 1_000_000_000
"""A time longer than clients ever work, so that a network fault lasts until all faults are stopped."""
MILLION = 1_000_000
CLIENTS, PAUSE_MS = 4, 20
"""The number of clients in a plain grid, and their longest pause, unless other values are set."""
REPAIR = Exponential(10e6)
"""How long a crashed member is away, unless another time is set: 10 s on average."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The set parameters; a parameter that is None or empty is drawn, or has its usual value in a plain grid."""

    plain: bool = False
    """Whether the seed draws no parameter of the grid: each parameter that is not set has its usual value."""
    async_backups: int | None = None
    acks_async: bool = False
    """Whether callers wait for no backup: sync backups are then configured as async backups."""
    partitions: int | None = None
    groups: int | None = None
    """The number of partition groups; 0 if each member is a group of its own."""
    placement: str | None = None
    properties: Attributes = ()
    """The properties of the configuration, as names and values."""
    quick: bool = False
    """Whether periodic tasks run as often as in most drawn grids."""
    clients: int | None = None
    pause_ms: int | None = None
    """The longest pause of a client between two operations."""
    keys: int | None = None
    popularity: Zipf | None = None
    reads_backups: bool | None = None
    arrival: Distribution | None = None
    """The time between two operations of all clients in an open loop; None if each client waits for its answers."""
    time_ms: int | None = None
    """For how long operations arrive in an open loop."""
    latency: Distribution | None = None
    lag: Distribution | None = None
    loss: float | None = None
    crash: Distribution | None = None
    """How long a member lives before it crashes."""
    repair: Distribution | None = None
    """How long a member stays away after a crash."""

    def shape(self, scenario: Scenario) -> Scenario:
        """Return a scenario with this cell's settings of the grid."""
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
        """Return the load of a script with this cell's settings."""
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
        """Yield the times at which operations arrive, in milliseconds since clients began; endlessly if no time is
        set."""
        rng, at_us = Random(f"arrivals of {seed} {script}"), 0.0
        while self.arrival is not None:
            at_us += draw_us(self.arrival, rng)
            if self.time_ms is not None and at_us >= self.time_ms * 1_000:
                return
            yield int(at_us // 1_000)

    def operations(self, seed: int, script: int, usual: int) -> int:
        """Return how many operations a client's script has: those that arrive in `time_ms`, if set, else `usual`."""
        if self.arrival is None or self.time_ms is None:
            return usual
        return max(1, sum(1 for _ in self.arrivals_ms(seed, script)))

    def arrange(self, operations: Sequence[ClientOperation], seed: int, script: int) -> Sequence[ClientOperation]:
        """Return the operations as they arrive; in an open loop each operation has a client of its own, and waits for
        no other operation.

        Judges assume that a client does one operation at a time, so an operation that waits for no answer needs another
        client.
        """
        if self.arrival is None:
            return operations
        moments = self.arrivals_ms(seed, script)
        return [
            operation.dealt(number, at_ms)
            for number, operation, at_ms in zip(count(), operations, moments, strict=False)
        ]

    def named_faults(self) -> Sequence[str]:
        """Return the names of the faults that this cell sets."""
        is_set = {"loss": bool(self.loss), "lag": self.lag is not None, "crash": self.crash is not None}
        return [name for name, named in is_set.items() if named]

    def faults(self, scenario: Scenario, script: int, span_ms: int, anew: Sequence[Anew] = ()) -> Sequence[FaultEvent]:
        """Return the events of the faults that this cell sets, in a run whose clients work for `span_ms`; from each
        moment in `anew` on, crashes are drawn with another seed."""
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
"""A cell in which no parameter is set."""


def renewals(
    life: Distribution,
    repair: Distribution,
    seed: int,
    script: int,
    address_index: int,
    span_ms: int,
    anew: Sequence[Anew] = (),
) -> Iterator[FaultEvent]:
    """Yield the crashes of one member, which is alive and away in turn, each time for a drawn time.

    Lives and repairs are an alternating renewal process, with one random generator for lives and one for repairs. From
    each moment in `anew` on, the generators of lives and repairs have another seed.
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
    """Draws the lengths of lives and repairs at one address."""

    address_index: int
    seed: str
    ahead: deque[Anew]
    """The future moments from which new seeds are used."""
    _dice: dict[str, Random] = field(default_factory=dict)

    def draw(self, distribution: Distribution, what: str, ends_ms: Callable[[float], int]) -> float:
        """Draw how long a life or a repair lasts; if it goes beyond the next moment in `ahead`, draw it anew with the
        seed of that moment.

        With the new seed, times are drawn until one of them lasts beyond the moment, so that the remaining time has the
        right conditional distribution.
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
