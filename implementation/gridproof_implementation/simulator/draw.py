"""Scenarios drawn from a seed.

Every run has its own grid, its own properties, its own mix of a few faults: many different small worlds find more than
one large one with everything in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.job import Guarantee
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.notes import Note
from gridproof_implementation.protocol.settings import Settings
from gridproof_implementation.simulator.fault import Harm, Setting
from gridproof_implementation.simulator.faults import DRAWN as DRAWN_FAULTS
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import Attributes, Scenario, Script, StreamJob, Strike
from gridproof_implementation.simulator.workload import Load
from gridproof_implementation.simulator.workloads import DRAWN, WORKLOADS_BY_NAME
from gridproof_model import grid_properties as known
from gridproof_model.partition_table import MAX_BACKUP_COUNT

QUICK: Attributes = tuple(
    (prop.name, str(value))
    for prop, value in (
        (known.TABLE_SEND_INTERVAL, 2),
        (known.BACKUP_SYNC_INTERVAL, 2),
        (known.HEARTBEAT_INTERVAL, 1),
        (known.MAX_NO_HEARTBEAT, 5),
        (known.MASTERSHIP_CLAIM_TIMEOUT, 10),
        (known.MEMBER_LIST_PUBLISH_INTERVAL, 5),
        (known.MERGE_FIRST_RUN_DELAY, 8),
        (known.MERGE_NEXT_RUN_DELAY, 4),
        (known.MIGRATION_TIMEOUT, 20),
        (known.GRACEFUL_SHUTDOWN_MAX_WAIT, 60),
        (known.OPERATION_CALL_TIMEOUT, 10_000),
        (known.OPERATION_BACKUP_TIMEOUT, 500),
    )
)
"""Properties under which everything periodic happens more often than by default, in about the same proportions."""
QUICK_SHARE = 0.8
SELDOM_SYNCED_SHARE = 0.4
"""Runs in which anti-entropy seldom comes before a crash, so that what was never backed up is lost."""
ARRANGED_SHARE = 0.75
CLIENTS_MAX = 4
CALM_SHARE = 0.1
"""Runs without any fault."""
KINDS_MAX = 3
STRIKES_MAX = 5
JOB_SHARE = 0.15
"""Runs that carry a job, whatever clients do."""
PROTOCOL = "gridproof_implementation.protocol."


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is not to be drawn."""

    members: int | None = None
    sync_backups: int | None = None
    faults: tuple[str, ...] | None = None
    """Names of the faults to choose from; none for a calm run."""
    workload: str | None = None
    errands: int = 120
    """For one script."""
    minutes: int = 0
    """Of virtual time that clients are at work; 0 for one script."""
    jobs: bool = True
    """Whether some runs carry a job; those of a workload that has one carry it in any case."""


def draw_scenario(seed: int, wishes: Wishes | None = None) -> Scenario:
    """Return the scenario of a seed, with its one script, or without any where its length is wished for."""
    wanted, rng = wishes or Wishes(), Random(f"scenario {seed}")
    # Everything is drawn, wished for or not: a wish then changes nothing else.
    members = rng.choice((1, 2, 3, 3, 3, 4, 4, 5, 6))
    sync = rng.choice((0, 1, 1, 1, 2, 3))
    asynchronous = rng.choice((0, 0, 0, 1, 2))
    workload = rng.choice(DRAWN).name
    members, sync = wanted.members or members, sync if wanted.sync_backups is None else wanted.sync_backups
    lite = tuple(seat for seat in range(1, members) if rng.random() < 0.05)
    zones = rng.choice((0, 0, 0, 0, 2, 3))
    scenario = Scenario(
        seed,
        members=members,
        sync_backups=sync,
        async_backups=min(asynchronous, MAX_BACKUP_COUNT - sync),
        partition_count=rng.choice((1, 3, 7, 11)),
        workload=wanted.workload or workload,
        lite=lite,
        zones=zones if zones <= members else 0,
        properties=_draw_properties(rng),
        arranged=rng.random() < ARRANGED_SHARE,
    )
    if (job := _draw_job(seed, scenario.workload, wanted)) is not None:
        scenario = replace(scenario, job=job)
    return scenario if wanted.minutes else scenario.with_scripts((draw_script(scenario, wanted, 0),))


def draw_scripts(scenario: Scenario, wishes: Wishes) -> Iterator[Script]:
    """Yield scripts, made one by one, until clients have been at work as long as wished."""
    worked_ms, number = 0, 0
    while worked_ms < wishes.minutes * 60_000:
        script = draw_script(scenario, wishes, number)
        yield script
        worked_ms, number = worked_ms + span_ms(script), number + 1


def draw_script(scenario: Scenario, wishes: Wishes, number: int) -> Script:
    """Return one script: its errands, and strikes of a few kinds of faults."""
    rng = Random(f"script {scenario.seed} {number}")
    settings = Settings.of(scenario.config())
    patience_ms = settings.max_no_heartbeat_us // 1_000
    clients = rng.randint(1, CLIENTS_MAX)
    # Pauses are a third of the longest on average: half of the scripts last several times what members are patient.
    lasting_ms = 3 * rng.randint(2, 8) * patience_ms * clients // wishes.errands
    pause_ms = rng.choice((2, 20, 200, lasting_ms, lasting_ms))
    load = Load(wishes.errands, clients, pause_ms, serial=number * wishes.errands)
    errands = tuple(WORKLOADS_BY_NAME[scenario.workload].draw(rng, load))
    script = Script(errands)
    setting = Setting(
        scenario.members,
        scenario.lite,
        max(span_ms(script), 50),
        patience_ms,
        protocol_steps(),
        _names_of(Message),
        message_families(),
    )
    choice = DRAWN_FAULTS if wishes.faults is None else [FAULTS_BY_NAME[name] for name in wishes.faults]
    often = [fault for fault in choice if fault.harm is Harm.MEMBERS]
    # Half of the kinds end members: what the others do to data shows when somebody is lost.
    kinds = [
        rng.choice(often if often and rng.random() < 0.5 else choice)
        for _ in range(rng.randint(1, KINDS_MAX))
        if choice
    ]
    if rng.random() < CALM_SHARE:
        kinds = []
    strikes = [rng.choice(kinds).draw(rng, setting) for _ in range(rng.randint(1, STRIKES_MAX))] if kinds else []
    return replace(script, strikes=tuple(sorted(strikes, key=_beginning)))


def span_ms(script: Script) -> int:
    """Return how long clients are at work when every answer comes at once."""
    by_client: dict[int, int] = {}
    for errand in script.errands:
        by_client[errand.client] = by_client.get(errand.client, 0) + errand.pause_ms + 1
    return max(by_client.values(), default=0)


@cache
def protocol_steps() -> tuple[str, ...]:
    """Return the names of all notes and messages of the protocol, sorted."""
    assert GridMember is not None, "its import brings every part, and with it every note and message"
    return tuple(sorted({*_names_of(Note), *_names_of(Message)}))


@cache
def message_families() -> tuple[tuple[str, ...], ...]:
    """Return the names of all messages, those of one part of the protocol together."""
    assert GridMember is not None, "its import brings every part, and with it every message"
    families: dict[str, set[str]] = {}
    for kind in _kinds_of(Message):
        families.setdefault(kind.__module__, set()).add(kind.__name__)
    return tuple(tuple(sorted(families[module])) for module in sorted(families))


@cache
def _names_of(root: type[object]) -> tuple[str, ...]:
    return tuple(sorted({kind.__name__ for kind in _kinds_of(root)}))


def _kinds_of(root: type[object]) -> Iterator[type[object]]:
    for kind in root.__subclasses__():
        if kind.__module__.startswith(PROTOCOL):
            yield kind
        yield from _kinds_of(kind)


def _draw_job(seed: int, workload: str, wishes: Wishes) -> StreamJob | None:
    """Return the job of a run, if it carries one: drawn by dice of its own, so that it changes nothing else."""
    rng = Random(f"jobs {seed}")
    rides = rng.random() < JOB_SHARE and wishes.jobs
    if not rides and not WORKLOADS_BY_NAME[workload].has_job:
        return None
    items = rng.choice((10, 30, 60))
    lasting_ms = rng.choice((500, 3_000, 15_000))
    return StreamJob(
        at_ms=rng.choice((0, 200, 2_000)),
        seat=rng.randrange(6),
        guarantee=rng.choice((Guarantee.EXACTLY_ONCE, Guarantee.EXACTLY_ONCE, *Guarantee)).value,
        strict=rng.random() < 0.8,
        shards=rng.randint(1, 4),
        items=items,
        keys=rng.choice((1, 3, 8)),
        item_interval_ms=lasting_ms // items,
        snapshot_interval_ms=lasting_ms // rng.choice((1, 2, 4, 8)),
    )


def _draw_properties(rng: Random) -> Attributes:
    chosen = dict(QUICK) if rng.random() < QUICK_SHARE else {}
    switches = (known.FAIL_ON_INDETERMINATE_STATE, known.BACKPRESSURE_ENABLED, known.STALE_READ_DISABLED)
    for switch, share in zip(switches, (0.4, 0.2, 0.4), strict=True):
        if rng.random() < share:
            chosen[switch.name] = "true"
    if rng.random() < SELDOM_SYNCED_SHARE:
        chosen[known.BACKUP_SYNC_INTERVAL.name] = "30"
    if rng.random() < 0.2:
        chosen[known.MAX_PARALLEL_MIGRATIONS.name] = str(rng.choice((1, 2)))
    return tuple(sorted(chosen.items()))


def _beginning(strike: Strike) -> tuple[int, str]:
    return strike.at_ms, strike.fault
