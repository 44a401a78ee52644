"""A campaign's cell as a Markov chain, which answers exactly what simulated runs of the cell estimate.

The chain is `durability` of one partition, with one more action: members without a copy crash as well. Every rate is
derived from the cell's parameters, and the derivation is explained; parameters that the chain cannot express are named.
"""

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from gridproof_implementation.protocol.settings import Settings
from gridproof_implementation.simulator.cell import REPAIR
from gridproof_implementation.simulator.distributions import Distribution, Exponential, Uniform, read_distribution
from gridproof_implementation.simulator.draw import draw_scenario, span_ms
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.language import IntExpr, Specification, Step
from gridproof_model.language.rates import read_rates, read_time
from gridproof_model.specifications import durability
from gridproof_model.trace import OperationKind
from gridproof_model.user_error import UserError
from gridproof_properties.measuring.measure import Measured, Measurer, Quantity, Question
from gridproof_properties.measuring.predicates import multiplied, predicates_of

CLAIM = "an_acknowledged_write_is_lost"
"""The claim that corresponds to `runs_with_loss`, a quantity of a study."""
READS = frozenset(
    {
        OperationKind.READ, OperationKind.READ_BACKUP, OperationKind.READ_REPLICA, OperationKind.CONTAINS,
        OperationKind.SIZE, OperationKind.ASK_SAFE,
    }
)  # fmt: skip
NOTHING_ELSE = "*=never"
"""The text of `--rate` by which actions without a rate of their own never happen."""
USUAL_LATENCY = Uniform(100.0, 500.0)
SAMPLES, SEEDS = 10_000, 8
"""The number of quantiles from which a mean is computed, and the number of runs in which writes are counted."""


class LikeError(UserError, ValueError):
    """Raised for a cell that cannot be turned into a chain; the message is one line."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The rate of one action, or the value of one constant, that a cell determines."""

    name: str
    text: str
    """The value, written as for `--rate` or `--set`."""
    why: str


@dataclass(frozen=True, slots=True)
class Likeness:
    """A chain that represents a cell."""

    constants: tuple[Taken, ...]
    time: Taken
    rates: tuple[Taken, ...]
    unsaid: tuple[str, ...]
    """The parameters of the cell that the chain cannot express, with one clause for each."""
    partitions: int = 1
    """The number of partitions in the cell; the chain has only one partition."""

    def besides(self, given: Collection[str]) -> tuple[Taken, ...]:
        """Return the rates, except those of actions to which a given name or pattern assigns another rate."""
        names = [name for name in given if name != "*"]
        return tuple(one for one in self.rates if not any(fnmatchcase(one.name, name) for name in names))


@cache
def cell_chain() -> Specification:
    """Return `durability` with crashes of members without a copy: no copy is lost with such a member, and it is removed
    at once."""
    chain = copy(durability.specification)
    chain.definitions, chain.actions = list(chain.definitions), list(chain.actions)
    chain.lines, chain.looked_at = dict(chain.lines), dict(chain.looked_at)

    @chain.definition()
    def members_without_a_copy() -> IntExpr:
        """The number of listed members that have no slot."""
        return durability.spares

    @chain.action(source="calls.3")
    def spare_crashes() -> Step:
        """A member without a copy crashes."""
        return Step(when=[durability.spares > 0], then=[durability.spares.becomes(durability.spares - 1)])

    return chain


def likeness(draw_options: DrawOptions) -> Likeness:
    """Return the chain for a cell; raise LikeError if seeds determine the shape of the grid, or no member ever ends."""
    cell = draw_options.cell
    if not cell.plain:
        raise LikeError("each seed draws another grid, but a chain models one grid; leave out grid=drawn")
    if cell.crash is None:
        raise LikeError("no member of the cell crashes, so no copy is lost; set crash, such as 1/30s")
    scenario = draw_scenario(0, draw_options)
    sync, asynchronous = scenario.sync_backups, scenario.async_backups
    fits = min(scenario.members - 1, sync + asynchronous)
    if fits == 0:
        raise LikeError("the cell has no backup, or only one member; set at least one backup and two members")
    sync = min(sync, fits)
    constants = (
        Taken("members", str(scenario.members), "its members"),
        Taken("sync_backups", str(sync), "its sync backups, as many as there are members for"),
        Taken("async_backups", str(fits - sync), "its async backups, likewise"),
    )
    time_ms = cell.time_ms or max(span_ms(script) for script in scenario.scripts)
    time = Taken("time", f"{time_ms}ms", "how long its clients are at work")
    rates = tuple(_rates(draw_options, scenario, fits, time_ms / 1_000))
    return Likeness(constants, time, rates, tuple(_unsaid(draw_options, scenario)), scenario.partition_count)


def _rates(draw_options: DrawOptions, scenario: Scenario, backups: int, time_s: float) -> Iterator[Taken]:
    cell, settings = draw_options.cell, Settings.of(scenario.config())
    crash, repair = cell.crash or REPAIR, cell.repair or REPAIR
    life = f"1/{_seconds(_mean_us(crash))}"
    yield Taken("primary_crashes", life, "crash: how long a member lives, on average")
    yield Taken("backup_crashes", life, "the same")
    yield Taken("spare_crashes", f"{life}*members_without_a_copy", "the same, each member without a copy")
    yield Taken(
        "member_returns", f"1/{_seconds(_mean_us(repair))}*absent_members", "repair: how long each is away, on average"
    )
    latency = USUAL_LATENCY if not scenario.latency else read_distribution(scenario.latency)
    way_us = _mean_us(latency)
    tries = settings.connection_monitor_max_faults
    noticed_us = tries * (settings.connection_monitor_interval_us + 2 * way_us) + settings.rebalance_delay_us
    noticed = f"1/{_seconds(noticed_us)}"
    yield Taken(
        "crashed_primary_is_removed", noticed,
        f"a process that ends breaks its connections: {tries} more tries, {_seconds(noticed_us)} in all (members.13)",
    )  # fmt: skip
    yield Taken("crashed_backup_is_removed", noticed, "the same")
    yield Taken("backup_is_promoted", f"1/{_seconds(2 * way_us)}", "a message and its answer, by latency")
    yield Taken("lost_partition_is_assigned", f"1/{_seconds(2 * way_us)}", "the same")
    yield Taken("slot_is_refilled", f"1/{_seconds(6 * way_us)}", "order, content and commit, each with its answer")
    if backups > 1:
        yield Taken(
            "copy_is_shifted_up", f"1/{_seconds(6 * way_us)}",
            "the same: a hole would pass over the copy behind it (backups.4)",
        )  # fmt: skip
    yield from _writes(draw_options, scenario, time_s)
    update_us = way_us + (0.0 if cell.lag is None else _mean_us(cell.lag))
    yield Taken("backup_message_arrives", f"1/{_seconds(update_us)}", "latency, and lag, one way, on average")
    if loss := cell.loss or 0.0:
        yield Taken("backup_message_is_lost", f"{loss / (1 - loss):g}/{_seconds(update_us)}", f"loss: {loss:g} of them")
    yield Taken("caller_is_answered", "now", "the answer takes no time")
    if not settings.fail_on_indeterminate_state:
        timeout = _seconds(settings.backup_timeout_us)
        staged, exactly = f"after:{timeout}", f"backup-timeout: {timeout}, a fixed time, in stages"
        alike = f"backup-timeout: {timeout}, exponential here: its stages would not fit with several backups"
        text, why = (staged, exactly) if backups == 1 else (f"1/{timeout}", alike)
        yield Taken("backup_timeout_passes", text, why)
    half = _seconds(settings.backup_sync_interval_us / 2)
    yield Taken(
        "check_finds_copy_behind", f"1/{half}*primary_is_up", "anti-entropy: half of the time between two rounds"
    )
    yield Taken("sync_brings_the_write", f"1/{_seconds(2 * way_us)}", "a message and its answer")


def _writes(draw_options: DrawOptions, scenario: Scenario, time_s: float) -> Iterator[Taken]:
    drawn = (draw_scenario(seed, draw_options) for seed in range(SEEDS))
    operations = [one for each in drawn for script in each.scripts for one in script.client_operations]
    writes = sum(one.kind not in READS for one in operations)
    rate = writes / SEEDS / time_s / scenario.partition_count
    partitions = "" if scenario.partition_count == 1 else f", of {scenario.partition_count} partitions one"
    if writes:
        why = f"{writes / len(operations):.0%} of its operations, those of {SEEDS} seeds{partitions}"
        yield Taken("write_is_executed", f"{rate:.6g}/s", why)


def _unsaid(draw_options: DrawOptions, scenario: Scenario) -> Iterator[str]:
    cell, count = draw_options.cell, scenario.partition_count
    if count > 1:
        yield (
            f"it has {count} partitions, and the chain is of one: a run loses something at least as likely, and at "
            f"most {count} times as likely"
        )
    exponential = {"crash": cell.crash, "repair": cell.repair, "lag": cell.lag}
    for name, distribution in exponential.items():
        if distribution is not None and not isinstance(distribution, Exponential):
            yield f"{name} is not exponential, but is so in the chain, with the same mean"
    if scenario.members - 1 < scenario.backups.total:
        yield "it has fewer members than copies are asked for"
    yield "a member that returns before the others missed its predecessor is turned down, and asks again a second later"
    yield (
        "a member that claims mastership before the others have missed the last master asks them again after 5 s, and "
        "nothing is repaired until then (members.21)"
    )
    if scenario.zones:
        yield f"its members are spread over {scenario.zones} partition groups, and each is one by itself in the chain"
    if cell.loss:
        yield "messages that are no backups get lost, too: heartbeats, answers, syncs and orders"
    if draw_options.faults:
        yield f"seeds draw further faults: {', '.join(draw_options.faults)}"
    if cell.arrival is None:
        yield "its clients wait for answers, and write less while there are none"
    read = {"partition.count", "operation.backup.timeout", "fail.on.indeterminate", "backup.sync.interval"}
    others = [name for name, _ in cell.properties if not any(one in name for one in read)]
    if others or cell.quick:
        yield f"properties that no rate is taken from: {', '.join(others) or 'periods=quick'}"


def exact(like: Likeness, measurer: Measurer, *, of: str = CLAIM) -> Measured:
    """Return the exact probability that the claim is reached within a cell's time."""
    chain = cell_chain()
    world = chain.world(**{one.name: int(one.text) for one in like.constants})
    rates = read_rates(
        [action.name for action in world.actions], [*(f"{one.name}={one.text}" for one in like.rates), NOTHING_ELSE]
    )
    question = Question(
        world,
        rates,
        predicates_of(chain, world, [of]),
        time_s=read_time(like.time.text),
        each=multiplied(chain, world, rates),
        quantities=frozenset((Quantity.WITHIN,)),
    )
    (found,) = measurer.measure(question).rows
    return found


def _mean_us(distribution: Distribution) -> float:
    if isinstance(distribution, Exponential):
        return distribution.mean_us
    shares: Sequence[float] = [(number + 0.5) / SAMPLES for number in range(SAMPLES)]
    return sum(map(distribution.at, shares)) / SAMPLES


def _seconds(time_us: float) -> str:
    """Return a time in the notation in which rates are written."""
    return f"{time_us / 1e6:g}s" if time_us >= 1e6 else f"{time_us / 1e3:g}ms"
