"""A scenario in a file."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gridproof_implementation.placement.names import PLACEMENT_NAMES
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.distributions import read_latency
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.faults.bad_links import BrokenConnection, LinkFault
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario
from gridproof_implementation.simulator.workload import Workload, lines_of, request_of, use_of
from gridproof_implementation.simulator.workloads import find_workload, get_workload
from gridproof_model.events.words import Guarantee
from gridproof_model.grid_config import ProtectOn
from gridproof_model.grid_properties import GRID_PROPERTIES
from gridproof_model.groups import GroupType
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import OperationKind
from gridproof_model.typed_json import read_json, typed
from gridproof_model.user_error import UserError, nearest
from gridproof_model.whole_file import write_whole

FORMAT = 1
NAME_MAX, TEXT_MAX = 40, 100
"""How many characters of an unknown name, and of a property, an error message shows."""
KEY = "scenario"
"""The field that distinguishes a scenario file from other JSON."""
SYSTEM = "system"
ASKED = "asked"
"""The field that says of each fault whether the user requested it. A fault that is not listed in this field counts as
requested, as in a file that was written by hand."""
BEFORE = {"seats": "address_indices", "seat": "address_index"}
"""The names that fields had in older files, each with its present name."""
CURE = "give a file that `gridproof replay`, or `check --runs` of a live system, wrote"
TIMES, EVERY, TIMES_MAX = "times", "every_ms", 1_000
"""With these fields a file says that a fault event happens several times; each time becomes an event of its own."""
COMPARING = frozenset({OperationKind.COMPARE_AND_SET, OperationKind.COMPARE_AND_REMOVE})
WITH_VALUE = frozenset(
    {
        OperationKind.WRITE, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET, OperationKind.APPEND,
        OperationKind.OFFER, OperationKind.POLL, OperationKind.LOCK, OperationKind.INSERT, OperationKind.DISCARD,
    }
)  # fmt: skip
"""The kinds of operations that have a value, which says what they write or how long they wait."""


class ScenarioError(UserError, ValueError):
    """A file contains no valid scenario; the message says in one line what is wrong, where, and what to do."""


def write_scenario(
    path: Path, scenario: Scenario, shows: str, system: str = "", asked: Mapping[str, bool] | None = None
) -> None:
    """Write a scenario, and one sentence that says what it shows, to a new file; raise ScenarioError if the file
    exists.

    `system` is the live system on which the scenario was observed; `asked` says of each fault whether the user
    requested it.
    """
    notes = {name: value for name, value in ((SYSTEM, system), (ASKED, asked)) if value}
    whole = {"format": FORMAT, "shows": shows, **notes, KEY: asdict(scenario)}
    if path.exists():
        raise ScenarioError(f"{path} exists already and is not overwritten; choose another name")
    write_whole(path, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def is_scenario(path: Path) -> bool:
    """Whether a file says that it contains a scenario; False if the file cannot be read."""
    return KEY in _whole(path)


def system_of(path: Path) -> str:
    """Return the live system on which the scenario in a file was observed; empty if the file names no system."""
    found = _whole(path).get(SYSTEM, "")
    return found if isinstance(found, str) else ""


def asked_in(path: Path, scenario: Scenario) -> tuple[str, ...]:
    """Return the faults that a user requested for the scenario in this file, whether or not it contains them."""
    said = _whole(path).get(ASKED, {})
    if not isinstance(said, dict) or any(name not in FAULTS_BY_NAME for name in said):
        wrong = f"the keys of {ASKED!r} must be names of faults; correct the file, or replay its seed to write it again"
        raise ScenarioError(f"{path}: not a valid scenario: {wrong}")
    names = dict.fromkeys([*said, *(one.fault for one in scenario.fault_events())])
    return tuple(name for name in names if said.get(name, True) is not False)


def _whole(path: Path) -> Mapping[str, Any]:
    try:
        whole = read_json(path)
    except (OSError, ValueError):
        return {}
    return whole if isinstance(whole, dict) else {}


def read_scenario(path: Path, faults: Collection[str] = FAULTS_BY_NAME) -> Scenario:
    """Return the scenario in a file; `faults` are the names of the faults that it may have."""
    try:
        whole = typed(dict[str, object], read_json(path), "the file")
        if whole.get("format") != FORMAT:
            raise ScenarioError(f"its format is {whole.get('format')!r:.40}, but this gridproof reads format {FORMAT}")
        return _scenario(whole.get(KEY), faults)
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror}; {CURE}") from None
    except ValueError as error:
        cure = "or replay its seed, which writes a valid file"
        raise ScenarioError(f"{path}: not a valid scenario: {error} ({cure})") from None


def _scenario(raw: object, faults: Collection[str]) -> Scenario:
    values = typed(dict[str, object], raw, KEY)
    scripts = typed(list[dict[str, list[dict[str, object]]]], values.get("scripts"), f"{KEY}.scripts")
    for script in scripts:
        script["fault_events"] = [one for event in script.get("fault_events", ()) for one in _each_time(event)]
    job = values.get("job")
    named = {"scripts": scripts, "job": _renamed(job) if isinstance(job, dict) else job}
    scenario: Scenario = typed(Scenario, values | named, KEY)
    unknown = next((one.fault for one in scenario.fault_events() if one.fault not in faults), None)
    if unknown is not None:
        raise ScenarioError(f"no fault is called {unknown[:NAME_MAX]!r}; there are {', '.join(faults)}")
    if scenario.sync_backups + scenario.async_backups > MAX_BACKUP_COUNT:
        many = f"{scenario.sync_backups} sync and {scenario.async_backups} async backups"
        raise ScenarioError(f"the scenario has {many}, but at most {MAX_BACKUP_COUNT} together are allowed")
    for event in scenario.fault_events():
        _check_fault(event)
    if scenario.job is not None:
        typed(Guarantee, scenario.job.guarantee, f"{KEY}.job.guarantee")
    workload = find_workload(scenario.workload)
    if workload is None:
        raise ScenarioError(f"no workload is called {scenario.workload[:NAME_MAX]!r}")
    for number, script in enumerate(scenario.scripts):
        for place, operation in enumerate(script.client_operations):
            if not _can_be_asked(workload, operation, scenario.partition_count):
                at = f"{KEY}.scripts[{number}].client_operations[{place}]"
                raise ScenarioError(f"{at} is no operation of the workload {scenario.workload}, or has a wrong value")
    for name, text in scenario.properties:
        if name not in GRID_PROPERTIES:
            raise ScenarioError(f"no property is called {name[:NAME_MAX]!r}: {nearest(name, GRID_PROPERTIES)}")
        GRID_PROPERTIES[name].read(text[:TEXT_MAX])
    if scenario.latency:
        read_latency(scenario.latency)
    chosen: Mapping[str, tuple[str, Collection[str]]] = {
        "grouping": (scenario.grouping, list(GroupType)),
        "merge_policy": (scenario.merge_policy, POLICIES_BY_NAME),
        "placement": (scenario.placement, PLACEMENT_NAMES),
        "protect_on": (scenario.protect_on, list(ProtectOn)),
    }
    for what, (word, known) in chosen.items():
        if word not in known:
            raise ScenarioError(f"{KEY}.{what} is {word[:NAME_MAX]!r}, but must be one of {', '.join(known)}")
    return scenario


def _check_fault(event: FaultEvent) -> None:
    """Raise ScenarioError if a fault has addresses, an amount or a step that it cannot use."""
    fault = FAULTS_BY_NAME.get(event.fault)
    if not event.address_indices:
        raise ScenarioError(f"a fault event of {event.fault!r} names no address; list one or more in address_indices")
    if fault is not None and not isinstance(fault, LinkFault | BrokenConnection) and len(event.address_indices) > 1:
        raise ScenarioError(f"the fault {event.fault!r} takes one address; write a fault event for each address")
    try:
        if fault is not None:
            fault.describe(event)
        if isinstance(fault, LinkFault):
            fault.value(event)
    except ValueError as error:
        raise ScenarioError(
            f"{event.fault!r} cannot be a fault event at addresses {event.address_indices}: {error}"
        ) from None


def _can_be_asked(workload: Workload, operation: ClientOperation, partition_count: int) -> bool:
    """Return whether a client of this workload may request this operation; the reference cannot execute others."""
    kind, use = operation.kind, operation.use
    has_value, compares = operation.value is not None, operation.expected is not None
    if use not in (workload.mixes or (workload.name,)) or not operation.keys:
        return False
    if kind not in get_workload(use).asks or (has_value != (kind in WITH_VALUE) and kind is not OperationKind.ASK_SAFE):
        return False
    try:
        if workload.mixes and {*map(use_of, operation.keys)} != {use}:  # a key says whose entry it is
            return False
        request_of(workload, operation, 0, partition_count)
        lines_of(workload, operation, None, partition_count)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return compares == (kind in COMPARING)


def _each_time(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of each occurrence of a fault event, which may happen `times` times, `every_ms` apart."""
    values = _renamed(values)
    times, every_ms, at_ms = values.pop(TIMES, 1), values.pop(EVERY, 0), values.get("at_ms")
    if type(times) is not int or type(every_ms) is not int or not 1 <= times <= TIMES_MAX or every_ms < (times > 1):
        said = f"a fault event of {values.get('fault')!r:.40} has {TIMES} {times!r:.40} and {EVERY} {every_ms!r:.40}"
        raise ScenarioError(f"{said}; it must happen 1 to {TIMES_MAX:,} times, at least 1 ms apart")
    yield values
    if type(at_ms) is int:
        yield from (values | {"at_ms": at_ms + number * every_ms} for number in range(1, times))


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an older file with their present names."""
    return {BEFORE.get(name, name): value for name, value in values.items()}
