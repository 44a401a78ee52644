"""Scenarios drawn from a seed.

Every run has its own grid, its own properties and its own mix of a few faults: many small runs that differ find more
defects than a single large run that contains everything.

Each seed also switches some features off. Some defects show only in runs without a certain operation or fault, so each
seed leaves some features and kinds of faults out (Groce and others, "Swarm testing", ISSTA 2012). Every feature has a
random generator of its own, so that a new feature does not change what is drawn for the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from gridproof_implementation.protocol.settings import Settings
from gridproof_implementation.simulator import drawn_settings as drawn
from gridproof_implementation.simulator.cell import DRAWN_CELL, Anew, Cell
from gridproof_implementation.simulator.draw_options import DrawOptions, Prescribed
from gridproof_implementation.simulator.fault import Fault, Harm, Setting
from gridproof_implementation.simulator.faults import DRAWN as DRAWN_FAULTS
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.protocol_names import message_families, protocol_messages, protocol_steps
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script, StreamJob
from gridproof_implementation.simulator.workload import STRUCTURES_MAX, Load, draw_destroy
from gridproof_implementation.simulator.workloads import TOGETHER, WORKLOADS, get_workload, safety
from gridproof_model.events.words import Guarantee
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import OperationKind

CALM_SHARE = 0.15
"""The share of scripts without faults, in which no member joins or leaves, as some properties need such runs."""
CLIENTS_MAX = 4
CROWD = (6, 12)
"""The smallest and the largest number of clients in a crowd, which are enough to reach a limit on calls."""
KINDS = (1, 1, 2, 2, 3, 3, 5, 8)
"""How many kinds of faults a script has; one of these numbers is drawn."""
FAULT_EVENTS_MAX = 6
OFF = (
    OperationKind.READ,
    OperationKind.REMOVE,
    OperationKind.CONTAINS,
    OperationKind.SIZE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.COMPARE_AND_SET,
    OperationKind.COMPARE_AND_REMOVE,
    OperationKind.DISCARD,
)
"""The kinds of operations that a seed may leave out."""
MEMBERS_END_SHARE = 0.5
"""On average at least this share of the kinds of faults end members, since the harm of other faults shows when a member
is lost."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Features:
    """The features of the clients in the run of a seed."""

    off: frozenset[OperationKind]
    structures: int
    reads_backups: bool
    destroys: int
    """How many times structures are destroyed in a script."""
    is_crowd: bool
    """Whether many clients request operations at the same time."""

    @classmethod
    def of(cls, seed: int) -> "Features":
        """Return the features of a seed."""
        share = _dice("operations", seed).choice((0.0, 0.0, 0.3, 0.6))
        return cls(
            off=frozenset(kind for kind in OFF if _dice(f"without {kind}", seed).random() < share),
            structures=_dice("structures", seed).choice((1, 1, 1, 2, STRUCTURES_MAX)),
            reads_backups=_dice("backup reads", seed).random() < 0.3,
            destroys=_dice("destroys", seed).choice((0, 0, 0, 0, 1, 3)),
            is_crowd=_dice("crowd", seed).random() < 0.1,
        )

    def draw_clients(self, rng: Random) -> int:
        """Draw how many clients there are."""
        return rng.randint(*CROWD) if self.is_crowd else rng.randint(1, CLIENTS_MAX)


def draw_workload(seed: int) -> str:
    """Return the workload of a seed: a single workload, several together, or all of them."""
    rng = _dice("workload", seed)
    single = [workload.name for workload in WORKLOADS if workload.name != safety.NAME]
    match rng.choice(("one", "some", "some", "all")):
        case "one":
            return rng.choice(single)
        case "some":
            return TOGETHER.join(_some(rng, [workload.name for workload in WORKLOADS], rng.randint(2, 4)))
        case _:
            return "mixed"


def draw_kinds_of_faults(rng: Random, choice: Sequence[Fault]) -> Sequence[Fault]:
    """Draw the kinds of faults of a script from the kinds to choose from."""
    ending = [fault for fault in choice if fault.harm & Harm.MEMBERS]
    return [
        rng.choice(ending if ending and rng.random() < MEMBERS_END_SHARE else choice)
        for _ in range(rng.choice(KINDS))
        if choice
    ]


def is_calm(seed: int, script: int) -> bool:
    """Whether a script of a seed has no faults."""
    return _dice(f"calm {script}", seed).random() < CALM_SHARE


def _some(rng: Random, items: Sequence[Item], count: int) -> Sequence[Item]:
    """Draw `count` of the items, and return the drawn items in their original order."""
    places = sorted(rng.sample(range(len(items)), count))
    return [items[place] for place in places]


def _dice(what: str, seed: int) -> Random:
    return Random(f"{what} of {seed}")


ARRANGED_SHARE = 0.75
AWAY_SHARE = 0.4
"""The share of varied runs in which a member that ends stays away, which shows harm that its restart would hide."""
NOT_RETURNING = frozenset({"crash", "crash-at-step", "leave"})
"""The faults after which a member may stay away for good."""
JOB_SHARE = 0.15
"""The share of runs in which a stream job runs besides the clients' operations, whatever these are."""


def draw_scenario(seed: int, draw_options: DrawOptions | None = None) -> Scenario:
    """Return the scenario of a seed, which has one script, or no script yet if the length of the run is set."""
    wanted, rng = (draw_options or DrawOptions()).of(seed), Random(f"scenario {seed}")
    if wanted.cell.plain:
        return _with_its_script(_plain_scenario(seed, wanted), wanted)
    # Every value is drawn, even one that an option sets, so that the option changes no other drawn value.
    members = rng.choice((1, 2, 3, 3, 3, 4, 4, 5, 6))
    members = wanted.members or members
    sync, asynchronous = drawn.draw_backups(seed)
    sync = sync if wanted.sync_backups is None else wanted.sync_backups
    grouping, groups = drawn.draw_grouping(seed)
    workload = wanted.workload or draw_workload(seed)
    scenario = Scenario(
        seed,
        members=members,
        sync_backups=sync,
        async_backups=min(asynchronous, MAX_BACKUP_COUNT - sync),
        partition_count=rng.choice((1, 3, 7, 11)),
        workload=workload,
        lite=drawn.draw_lite(seed, members),
        zones=groups,
        grouping=grouping,
        properties=drawn.draw_properties(seed),
        arranged=rng.random() < ARRANGED_SHARE,
        merge_policy=drawn.draw_merge_policy(seed),
        quorum=drawn.draw_quorum(seed),
        straggling_ms=drawn.draw_straggling_ms(seed),
        job=_draw_job(seed, workload, wanted),
    )
    if wanted.prescribed is not None:
        scenario = _as_prescribed(scenario, wanted.prescribed, wanted)
    if scenario.job is not None:  # a job whose maps refuse its writes begins again for ever
        scenario = replace(scenario, quorum=0)
    scenario = _with_its_script(scenario, wanted)
    return (
        replace(scenario, away=draw_away(scenario)) if draw_options is not None and draw_options.is_varied else scenario
    )


def draw_away(scenario: Scenario) -> int | None:
    """Draw, by a generator of its own, the index of an address to which no member comes back; None in most runs."""
    rng = Random(f"who stays away of {scenario.seed}")
    ending = [one.address_indices[0] for one in scenario.fault_events() if one.fault in NOT_RETURNING]
    return rng.choice(ending) if ending and scenario.members > 1 and rng.random() < AWAY_SHARE else None


def _with_its_script(scenario: Scenario, wanted: DrawOptions) -> Scenario:
    if wanted.cell != DRAWN_CELL:
        scenario = wanted.cell.shape(scenario)
    if wanted.minutes:
        return scenario
    script = draw_script(scenario, wanted, 0)
    lasting_ms = _lasting_ms(script, wanted.cell) if wanted.cell != DRAWN_CELL else 0
    return replace(scenario, scripts=(script,), lasting_ms=lasting_ms)


def _plain_scenario(seed: int, wanted: DrawOptions) -> Scenario:
    """Return a scenario of the plain grid, with the options that are set."""
    scenario = Scenario(seed)
    workload = wanted.workload or scenario.workload
    scenario = replace(
        scenario,
        members=wanted.members or scenario.members,
        sync_backups=scenario.sync_backups if wanted.sync_backups is None else wanted.sync_backups,
        workload=workload,
        job=_draw_job(seed, workload, replace(wanted, jobs=False)),
    )
    return scenario if wanted.prescribed is None else _as_prescribed(scenario, wanted.prescribed, wanted)


def _as_prescribed(scenario: Scenario, prescribed: Prescribed, wanted: DrawOptions) -> Scenario:
    """Return a seed's scenario with what a user's configuration prescribes; the number of groups may be drawn."""
    sync = prescribed.backups.sync if wanted.sync_backups is None else wanted.sync_backups
    return replace(
        prescribed.shape(scenario),
        sync_backups=sync,
        async_backups=min(prescribed.backups.asynchronous, MAX_BACKUP_COUNT - sync),
        partition_count=prescribed.partition_count,
        # In a cluster that is below its quorum, a job's maps would refuse the job's writes.
        job=scenario.job if get_workload(scenario.workload).has_job or not prescribed.quorum else None,
    )


def draw_scripts(scenario: Scenario, draw_options: DrawOptions) -> Iterator[Script]:
    """Yield scripts one by one, until clients have worked for as long as the options demand."""
    worked_ms, number = 0, 0
    while worked_ms < draw_options.minutes * 60_000:
        script = draw_script(scenario, draw_options, number)
        yield script
        worked_ms, number = worked_ms + span_ms(script), number + 1


def draw_script(scenario: Scenario, draw_options: DrawOptions, number: int) -> Script:
    """Draw one script: its operations, and its fault events, which are of a few kinds."""
    rng = Random(f"script {scenario.seed} {number}")
    patience_ms = Settings.of(scenario.config()).max_no_heartbeat_us // 1_000
    plain, seed = draw_options.cell.plain, scenario.seed
    calm = not draw_options.faults if plain else is_calm(seed, number)
    script = Script(tuple(_draw_client_operations(rng, scenario, draw_options, number, patience_ms, calm=calm)))
    chosen = draw_options.cell.faults(scenario, number, _lasting_ms(script, draw_options.cell))
    if calm:
        return replace(script, fault_events=tuple(sorted(chosen, key=_beginning)))
    setting = Setting(
        scenario.members,
        scenario.lite,
        max(span_ms(script), 50),
        patience_ms,
        protocol_steps(),
        protocol_messages(),
        message_families(),
    )
    choice = DRAWN_FAULTS if draw_options.faults is None else [FAULTS_BY_NAME[name] for name in draw_options.faults]
    kinds = draw_kinds_of_faults(rng, choice)
    fault_events = (
        [rng.choice(kinds).draw(rng, setting) for _ in range(rng.randint(1, FAULT_EVENTS_MAX))] if kinds else []
    )
    return replace(script, fault_events=tuple(sorted([*fault_events, *chosen], key=_beginning)))


def draw_crashes_anew(scenario: Scenario, draw_options: DrawOptions, anew: Sequence[Anew]) -> Script:
    """Return a scenario's script with crashes drawn anew from some moments on; all its faults must be set by name."""
    (script,) = scenario.scripts
    cell = draw_options.cell
    faults = cell.faults(scenario, 0, _lasting_ms(script, cell), anew)
    return replace(script, fault_events=tuple(sorted(faults, key=_beginning)))


def _lasting_ms(script: Script, cell: Cell) -> int:
    """Return how long clients work with their own pauses, or for how long operations arrive if that is longer."""
    return max(span_ms(script), cell.time_ms or 0)


def _draw_client_operations(
    rng: Random, scenario: Scenario, draw_options: DrawOptions, number: int, patience_ms: int, *, calm: bool
) -> Sequence[ClientOperation]:
    """Draw the operations of the clients of a script."""
    features, workload, cell = Features.of(scenario.seed), get_workload(scenario.workload), draw_options.cell
    clients = features.draw_clients(rng)
    # The mean pause is a third of the longest pause: some scripts last far longer than members wait for silent members.
    lasting_ms = 3 * rng.randint(2, 8) * patience_ms * clients // draw_options.client_operations
    load = Load(
        draw_options.client_operations,
        clients,
        pause_ms=rng.choice((2, 20, 200, lasting_ms, lasting_ms, lasting_ms if calm else 200)),
        serial=number * draw_options.client_operations,
        structures=features.structures,
        off=features.off,
        reads_backups=features.reads_backups,
    )
    if cell != DRAWN_CELL:
        load = replace(
            cell.load(load), client_operations=cell.operations(scenario.seed, number, draw_options.client_operations)
        )
        if cell.plain:
            rng = Random(f"operations {scenario.seed} {number}")
    client_operations = workload.draw(rng, load)
    for _ in range(0 if cell.plain else features.destroys):
        client_operations = draw_destroy(rng, workload, client_operations)
    return cell.arrange(client_operations, scenario.seed, number)


def span_ms(script: Script) -> int:
    """Return how long the clients of a script work if every answer comes at once."""
    by_client: dict[int, int] = {}
    for client_operation in script.client_operations:
        by_client[client_operation.client] = by_client.get(client_operation.client, 0) + client_operation.pause_ms + 1
    return max(by_client.values(), default=0)


def _draw_job(seed: int, workload: str, draw_options: DrawOptions) -> StreamJob | None:
    """Draw the job of a run, or None, by a generator of its own, so that nothing else that is drawn changes."""
    rng = Random(f"jobs {seed}")
    rides = rng.random() < JOB_SHARE and draw_options.jobs
    if not rides and not get_workload(workload).has_job:
        return None
    items = rng.choice((10, 30, 60))
    lasting_ms = rng.choice((500, 3_000, 15_000))
    return StreamJob(
        at_ms=rng.choice((0, 200, 2_000)),
        address_index=rng.randrange(6),
        guarantee=rng.choice((Guarantee.EXACTLY_ONCE, Guarantee.EXACTLY_ONCE, *Guarantee)).value,
        strict=rng.random() < 0.8,
        shards=rng.randint(1, 4),
        items=items,
        keys=rng.choice((1, 3, 8)),
        item_interval_ms=lasting_ms // items,
        snapshot_interval_ms=lasting_ms // rng.choice((1, 2, 4, 8)),
    )


def _beginning(fault_event: FaultEvent) -> tuple[int, str]:
    return fault_event.at_ms, fault_event.fault
