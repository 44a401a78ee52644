"""Files that commands wrote, changed at random: each is read, or refused in one line, and nothing falls over."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.language.run import Runner
from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.claims.story import story_of, write_story
from gridproof_properties.exit_status import ExitStatus
from gridproof_reports.campaigns.plan import Plan
from gridproof_reports.campaigns.store import Store
from tests.front_door.command_line import CommandLine

VALUES: list[object] = [
    None, True, -1, 0, 2**31, 2**62, 10**400, 1.5, float("nan"), "", "x", "x" * 9_000, "\x00", "\ud800", [], {}, [[]],
    {"": None}, "1", [1] * 9, "register", "read",
]  # fmt: skip
STATUSES = (ExitStatus.HOLDS, ExitStatus.BROKEN, ExitStatus.WRONG_USE, ExitStatus.UNKNOWN)
WORDS = {"a scenario": "replay file.json --whole", "a story": "replay file.json", "a plan": "study campaign"}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(place for key, part in parts for place in places(part, (*path, key)))]


def changed(whole: Any, rng: Random) -> Any:
    """Return a value with one part replaced, left out, said twice, renamed or put into a list."""
    whole = deepcopy(whole)
    *above, last = rng.choice(places(whole))
    inside = whole
    for key in above:
        inside = inside[key]
    match rng.randrange(8):
        case 0:
            del inside[last]
        case 1 if isinstance(inside, list):
            inside.insert(last, deepcopy(inside[last]))
        case 1:
            inside[f"{last}x"] = inside.pop(last)
        case 2:
            inside[last] = [inside[last]]
        case _:
            inside[last] = rng.choice(VALUES)
    return whole


def written(what: str) -> Path:
    file = Path("file.json")
    match what:
        case "a scenario":
            write_scenario(file, draw_scenario(3, DrawOptions(client_operations=20)), "something")
        case "a story":
            world = specification.world(size=2)
            runner = Runner(world)
            start = next(iter(runner.initial_states()))
            event = next(iter(runner.events(start)))
            write_story(file, story_of(world, "something", list(runner.replay(start, [event]))), "two_phase_commit")
        case _:
            Store(Path("campaign")).open(Plan((("workload", "appends"),), (("sync-backups", ("0", "1")),), runs=2))
            return Path("campaign") / "plan.json"
    return file


@pytest.mark.parametrize("what", WORDS)
def test_what_was_changed_is_read_or_refused_in_one_line(what: str, gridproof: CommandLine) -> None:
    file, rng = written(what), Random(what)
    whole, refused = json.loads(file.read_text()), 0
    for _ in range(60):
        file.write_text(json.dumps(changed(whole, rng)))

        ended = gridproof(*WORDS[what].split())

        assert ended.status in STATUSES, file.read_text()
        if ended.status == ExitStatus.WRONG_USE:
            refused += 1
            assert (ended.out, ended.err.count("\n")) == ("", 1)
            assert len(ended.err) < 2_100
    assert refused > 20
