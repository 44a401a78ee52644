"""A scenario in a file."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from gridproof_implementation.placement.names import PLACEMENT_NAMES
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.distribution_text import read_distribution
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script, StreamJob
from gridproof_implementation.simulator.workloads import find_workload
from gridproof_model.events.words import Guarantee
from gridproof_model.grid_config import ProtectOn
from gridproof_model.groups import GroupType
from gridproof_model.own_file import read_text
from gridproof_model.trace import OperationKind
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import write_whole

FORMAT = 1
Made = TypeVar("Made", ClientOperation, FaultEvent, StreamJob, Scenario)
KEY = "scenario"
"""What distinguishes such a file from other JSON."""
SYSTEM = "system"
ASKED = "asked"
"""Whether each fault was asked for. One that no file speaks of was: who writes it by hand asks for it."""
BEFORE = {"seats": "address_indices", "seat": "address_index"}
"""What older files call a field, and what it is called now."""
TIMES, EVERY, TIMES_MAX = "times", "every_ms", 1_000
"""A file may say of a fault event that it comes again; each time is an event of its own."""


class ScenarioError(UserError, ValueError):
    """A file that holds no scenario; the message is one line: what is wrong, where, and the cure."""


def write_scenario(
    path: Path, scenario: Scenario, shows: str, system: str = "", asked: Mapping[str, bool] | None = None
) -> None:
    """Write a scenario, and in one sentence what it shows, to a new file; ScenarioError when one stands there.

    `system` is the live one that it was seen on; `asked` says of faults whether somebody asked for them.
    """
    notes = {name: value for name, value in ((SYSTEM, system), (ASKED, asked)) if value}
    whole = {"format": FORMAT, "shows": shows, **notes, KEY: asdict(scenario)}
    if path.exists():
        raise ScenarioError(f"{path} exists already and is not overwritten; choose another name")
    write_whole(path, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def is_scenario(path: Path) -> bool:
    """Whether a file says that it holds a scenario; False for one that cannot be read."""
    try:
        whole = json.loads(read_text(path))
    except (OSError, ValueError):
        return False
    return isinstance(whole, dict) and KEY in whole


def system_of(path: Path) -> str:
    """Return the live system that a scenario was seen on; empty where the file names none."""
    try:
        found = json.loads(read_text(path)).get(SYSTEM, "")
    except (OSError, ValueError, AttributeError):
        return ""
    return found if isinstance(found, str) else ""


def asked_in(path: Path, scenario: Scenario) -> tuple[str, ...]:
    """Return the faults that were asked for with the scenario in this file, whether they are in it or not."""
    said = json.loads(read_text(path)).get(ASKED, {})
    if not isinstance(said, dict) or any(name not in FAULTS_BY_NAME for name in said):
        raise ScenarioError(f"{path}: {ASKED} names no faults; replay the seed again")
    names = dict.fromkeys([*said, *(one.fault for one in scenario.fault_events())])
    return tuple(name for name in names if said.get(name, True) is not False)


def read_scenario(path: Path, faults: Collection[str] = FAULTS_BY_NAME) -> Scenario:
    """Return the scenario in a file, whose faults bear these names."""
    try:
        whole = json.loads(read_text(path))
        if whole["format"] != FORMAT:
            raise ScenarioError(f"{path}: is of format {whole['format']}, and this gridproof reads format {FORMAT}")
        return _scenario(whole[KEY], faults)
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror}; give a file `gridproof replay` wrote") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ScenarioError(
            f"{path}: is no scenario ({type(error).__name__}: {error}); replay the seed again"
        ) from None
    except ScenarioError:
        raise
    except ValueError as error:
        raise ScenarioError(f"{path}: is no scenario ({error}); replay the seed again") from None


def _scenario(raw: Mapping[str, Any], faults: Collection[str]) -> Scenario:
    values = dict(raw)
    values["scripts"] = tuple(_script(script, faults) for script in raw["scripts"])
    values["lite"] = tuple(raw["lite"])
    values["properties"] = tuple((str(name), str(text)) for name, text in raw["properties"])
    if (job := raw.get("job")) is not None:
        values["job"] = _make(StreamJob, dict(job) | {"guarantee": Guarantee(job["guarantee"]).value})
    scenario = _make(Scenario, values)
    if find_workload(scenario.workload) is None:
        raise ScenarioError(f"no workload is called {scenario.workload!r}")
    if scenario.grouping not in list(GroupType):
        raise ScenarioError(f"no partition groups are of type {scenario.grouping!r}; types are {', '.join(GroupType)}")
    if scenario.merge_policy not in POLICIES_BY_NAME:
        names = ", ".join(POLICIES_BY_NAME)
        raise ScenarioError(f"no merge policy is called {scenario.merge_policy!r}; policies are {names}")
    if scenario.latency:
        read_distribution(scenario.latency)
    if scenario.placement not in PLACEMENT_NAMES:
        names = ", ".join(PLACEMENT_NAMES)
        raise ScenarioError(f"no placement policy is called {scenario.placement!r}; policies are {names}")
    if scenario.protect_on not in list(ProtectOn):
        raise ScenarioError(f"nothing is protected on {scenario.protect_on!r}; there are {', '.join(ProtectOn)}")
    return scenario


def _script(raw: Mapping[str, Any], faults: Collection[str]) -> Script:
    client_operations = (
        _make(ClientOperation, dict(one) | {"kind": OperationKind(one["kind"])}) for one in raw["client_operations"]
    )
    fault_events = (one for values in raw["fault_events"] for one in _fault_events(_renamed(values)))
    script = Script(tuple(client_operations), tuple(fault_events))
    unknown = [fault_event.fault for fault_event in script.fault_events if fault_event.fault not in faults]
    if unknown:
        raise ScenarioError(f"no fault is called {unknown[0]!r}")
    return script


def _fault_events(values: dict[str, Any]) -> Iterator[FaultEvent]:
    """Yield a fault event, as often as it says that it comes: `times`, `every_ms` apart."""
    times, every_ms = values.pop(TIMES, 1), values.pop(EVERY, 0)
    if type(times) is not int or type(every_ms) is not int or not 1 <= times <= TIMES_MAX or every_ms < (times > 1):
        said = f"{TIMES} {times!r}, {EVERY} {every_ms!r}"
        raise ScenarioError(f"a faultevent with {said}: it comes 1 to {TIMES_MAX:,} times, 1 ms or more apart")
    first = _make(FaultEvent, values | {"address_indices": tuple(values["address_indices"])})
    yield from (replace(first, at_ms=first.at_ms + number * every_ms) for number in range(times))


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields by their names of today."""
    return {BEFORE.get(name, name): value for name, value in values.items()}


def _make(kind: type[Made], values: Mapping[str, Any]) -> Made:
    """Return a value of a scenario; numbers must be whole, for a run computes with them."""
    known: Sequence[str] = [part.name for part in fields(kind)]
    values = _renamed(values)
    for name, value in values.items():
        if name not in known:
            raise ScenarioError(f"a {kind.__name__.lower()} has no {name!r}")
        if isinstance(value, float):
            raise ScenarioError(f"{name} is {value}; it must be a whole number")
    return kind(**values)
