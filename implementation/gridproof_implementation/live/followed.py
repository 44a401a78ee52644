"""What of a scenario a live fleet follows.

One value, two worlds: each field of a scenario is followed by real members, or refused by its name before anything
starts. `IN_OWN_TIME` are about the clock of the simulator, and say nothing of members that have a clock of their own.
"""

from collections.abc import Iterator
from dataclasses import replace

from gridproof_implementation.adapter import MEMBERS_MAX, Adapter, AsyncBackups, Options
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.operations import asked_as
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, StructureKind

DAY_MS = 86_400_000
IN_OWN_TIME = ("straggling_ms", "lasting_ms")
"""How long a simulated run waits for messages and clients; a live one for its clients, and for rest."""
ONLY_SIMULATED = ("arranged", "job", "latency", "placement", "away")
"""What real members decide themselves, or what nobody submits to them."""
_USUAL = Scenario(0)


def why_not_followed(scenario: Scenario, adapter: Adapter, hello: Hello) -> str | None:
    """Return the first thing of a scenario that a system cannot be given, by name, with the cure."""
    return next(_refusals(scenario, adapter, hello), None)


def options_of(scenario: Scenario, adapter: Adapter, hello: Hello, options: Options) -> Options:
    """Return options that give a fleet what a scenario says of its members."""
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
    """Return the partition group of the member at an address; None where each is one by itself."""
    return f"zone-{address_index % scenario.zones}" if scenario.zones else None


def _refusals(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    yield from _of_size(scenario, adapter, hello)
    for name in ONLY_SIMULATED:
        if getattr(scenario, name) != getattr(_USUAL, name):
            yield f"{name} is simulated only, real members are not given it; `gridproof replay` plays it"
    founders = ", for they are founded at once" if hello.traits.founders else ""
    for name, offer, words in (("lite", "lite", "lite members"), ("zones", "groups", "groups of members")):
        if getattr(scenario, name) and (founders or offer not in hello.offers):
            said = _said(getattr(scenario, name))
            yield f"{name} is {said}: the agent of {adapter.name} offers no {words}{founders}; leave it out"
    if any(not 0 <= index < scenario.members for index in scenario.lite):
        yield f"lite is {scenario.lite}: addresses are 0 to {scenario.members - 1}"
    if len(set(scenario.lite)) >= scenario.members:
        yield "lite names every member: one at least has to hold data"
    split = {"merge_policy": DEFAULT_MERGE_POLICY, "quorum": 0, "properties": ()}
    for name, usual in split.items():
        if getattr(scenario, name) != usual and not adapter.takes_config:
            yield f"{name} is {_said(getattr(scenario, name))}: {adapter.name} takes no configuration; leave it out"
    if not 0 <= scenario.quorum <= scenario.members:
        yield f"quorum is {scenario.quorum}: there are {scenario.members} members"
    yield from _of_operations(scenario, adapter, hello)
    for one in scenario.fault_events():
        if hello.traits.attached and one.amount:
            yield f"fault_events: {one.fault} of amount {one.amount} is about hosts, and those of members are not ours"
        yield from _of_fault_event(one, scenario.members)


def _of_size(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    members, backups, founders = scenario.members, scenario.backups.total, hello.traits.founders
    if not 1 <= members <= MEMBERS_MAX:
        yield f"members is {members}: 1 to {MEMBERS_MAX} are started"
    per_founder = 1 + backups if hello.traits.bound else 1
    if (attached := hello.traits.attached) and members != attached:
        yield f"members is {members}: {adapter.name} has {attached} that run already"
    if founders and not attached and (members % per_founder or members < founders * per_founder):
        yield f"members is {members}: {adapter.name} is founded by {founders * per_founder} with {backups} backups"
    if hello.partitions is not None and scenario.partition_count != hello.partitions:
        yield f"partition_count is {scenario.partition_count}: {adapter.name} has {hello.partitions}"
    asynchronous, follows = scenario.async_backups, adapter.async_backups
    if asynchronous and follows is AsyncBackups.NONE:
        yield f"async_backups is {asynchronous}: {adapter.name} has none"
    if follows is AsyncBackups.ALL and asynchronous not in (0, backups):
        yield f"async_backups is {asynchronous}: with {adapter.name} a caller waits for {follows}, which is {backups}"


def _of_operations(scenario: Scenario, adapter: Adapter, hello: Hello) -> Iterator[str]:
    for script in scenario.scripts:
        for one in script.client_operations:
            kind = asked_as(one)
            if kind is not None and kind not in hello.operations:
                yield f"client_operations ask for {kind}, which the agent of {adapter.name} does not offer"
            if len(one.keys) != 1 or one.client < 0 or not 0 <= one.pause_ms <= DAY_MS:
                yield f"client_operations: {one.kind} of {one.key!r} has one key, a client from 0 on, a pause in a day"


def _of_fault_event(one: FaultEvent, members: int) -> Iterator[str]:
    fault = LIVE_FAULTS_BY_NAME[one.fault]
    if one.step or one.share:
        yield f"fault_events: step and share of {one.fault} are about simulated messages; leave them out"
    if one.amount not in fault.amounts(members):
        yield f"fault_events: {one.fault} of amount {one.amount} is not followed by real members; leave it out"
    many = len(one.address_indices)
    if not many or (many > 1 and not fault.takes_several):
        yield f"fault_events: {one.fault} strikes {'some addresses' if fault.takes_several else 'one address'}"
    if any(index < 0 for index in one.address_indices):
        yield f"fault_events: {one.fault} strikes {one.who}; addresses are counted from 0"
    if not (0 <= one.at_ms <= DAY_MS and 0 <= one.for_ms <= DAY_MS):
        yield f"fault_events: {one.fault} at {one.at_ms} ms for {one.for_ms} ms is not within a day"


def _said(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    return ", ".join("=".join(one) if isinstance(one, tuple) else str(one) for one in value)
