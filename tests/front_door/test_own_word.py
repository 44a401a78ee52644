"""What a system says of itself, in an agent's hello and in a file: whose word a verdict stands on."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gridproof_implementation.live.answers import HELLO
from gridproof_implementation.promise import ALWAYS, FaultCondition, PromiseWord
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.events.conditions import StatedTimes
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine
from tests.front_door.test_live_green import RESTART, scenario
from tests.properties import live_toy

PROMISE = {"word": "promised", "source": "its page, line 1"}
HELD_TO = ("linearizability", "queue-order-kept", "acknowledged-append-kept", "acknowledged-write-kept")


def write_agent(change: str = "", **hello: Any) -> None:
    """Write a toy into the folder `mine`, whose hello says this besides."""
    said = f"operations={live_toy.KINDS}, **{hello!r}"
    verbs = "start, table, settled, partition, put, operate, get, replicas, leave"
    Path("mine").mkdir()
    Path("mine/agent.py").write_text(f"{live_toy.AGENT}{change}\nserve('toy', '1', {verbs}, {said})\n")
    Path("mine/adapter.json").write_text(json.dumps({"name": "mine", "command": [sys.executable, "agent.py"]}))


def promises(**fields: Any) -> Mapping[str, Any]:
    return {name: {**PROMISE, **fields} for name in (*HELD_TO, "one-replica-per-member")}


def test_a_promise_says_in_a_hello_all_that_it_says_in_python() -> None:
    fields = {**PROMISE, "least_backups": 1, "most_backups": 2, "grouped": "weakness", "under": "always"}
    weakness = {"takes": ["backups-converge"], "when": "cut", "begins": "heal", "ends": "never", "source": "page 4"}
    times = {"accepted_within_ms": 10, "restored_within_ms": 20, "source": "page 5"}
    hello = HELLO.read(
        {
            "id": 0, "protocol": 1, "system": "toy", "version": "1", "offers": [], "weaknesses": [weakness],
            "promises": {"full-rows": {**fields, "where_asked": True}}, "times": times,
        }
    )  # fmt: skip

    promise = hello.promises["full-rows"]
    assert (promise.least_backups, promise.most_backups, promise.grouped) == (1, 2, PromiseWord.WEAKNESS)
    assert (promise.under, promise.where_asked, promise.by.value) == (ALWAYS, True, "the hello")
    assert hello.weaknesses[0].when == (FaultCondition.CUT,)
    assert hello.times == StatedTimes(10, 20, "page 5")


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    ("hello", "refused"),
    [
        ({"promisses": {}}, "the hello has no field 'promisses': did you mean promises?"),
        ({"promises": {"full-rows": {**PROMISE, "undr": "always"}}}, "'undr': did you mean under?"),
        ({"promises": {"full-rows": {**PROMISE, "under": ["crush"]}}}, "'crush', which is no fault condition: did"),
        ({"promises": {"full-row": PROMISE}}, "promises 'full-row', which is no property: did you mean full-rows"),
        ({"times": {"accepted_within_ms": 1}}, '"restored_within_ms" is missing'),
        ({"weaknesses": [{"takes": "full-rowz", "when": "cut", "source": "p"}]}, "a weakness of 'full-rowz'"),
    ],
)  # fmt: skip
def test_what_nobody_knows_in_a_hello_is_one_line(
    gridproof: CommandLine, hello: Mapping[str, Any], refused: str
) -> None:
    write_agent(**hello)

    checked = gridproof("check", "--system", "mine", "--out", "run")

    assert checked.status == ExitStatus.WRONG_USE
    assert refused in checked.err
    assert checked.err.count("\n") == 1


LIES = {
    "reorders": (live_toy.POLLS_OUT_OF_ORDER, "queue", "queue-order-kept"),
    "counts twice": (live_toy.DOUBLES_WHEN_MEMBERS_CHANGE, "counter", "linearizability"),
    "offers twice": (live_toy.DOUBLES_WHEN_MEMBERS_CHANGE, "queue", "linearizability"),
    "shortens": (live_toy.LOSES_OPERATIONS, "appends", "acknowledged-append-kept"),
    "forgets": (live_toy.FORGETS_AFTER_A_RESTART, "register", "acknowledged-write-kept"),
}


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    ("lie", "under", "status"),
    [*((lie, "always", ExitStatus.BROKEN) for lie in LIES), ("forgets", "calm", ExitStatus.UNKNOWN)],
)
def test_a_lie_over_json_lines_is_red_where_it_is_promised_and_unknown_elsewhere(
    gridproof: CommandLine, lie: str, under: str, status: int
) -> None:
    change, workload, broken = LIES[lie]
    write_agent(change, promises=promises(under=under))
    write_scenario(Path("scenario.json"), scenario(workload, RESTART), "nothing yet")

    checked = gridproof(
        "check", "--system", "mine", "--scenario", "scenario.json", "--times", 1, "--out", "run", "--json"
    )

    run = checked.json["scenarios"][0]["runs"][0]
    assert checked.status == status
    assert (broken in run["broken"], broken in run["measured"]) == (under == "always", under != "always")


SHORT_UNTIL_A_FAULT = """
def table():
    is_whole = os.path.exists(os.path.join(ROOT, "again"))
    return {"member": me, "rows": [members()[:2 if is_whole else 1]]}
was_start = start
def start(name, **fields):
    if os.path.exists(os.path.join(ROOT, "pid-" + name)): write("again", "")
    return was_start(name, **fields)
"""
"""Rows are short from the start until somebody is started again."""


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_promise_of_the_calm_alone_is_held_before_the_first_fault(gridproof: CommandLine) -> None:
    write_agent(SHORT_UNTIL_A_FAULT, promises={"full-rows": PROMISE})
    write_scenario(Path("scenario.json"), scenario("register", RESTART), "nothing yet")

    checked = gridproof(
        "check", "--system", "mine", "--scenario", "scenario.json", "--times", 1, "--out", "run", "--json"
    )

    run = checked.json["scenarios"][0]["runs"][0]
    full = next(one for one in run["verdicts"] if one["property"] == "full-rows")
    assert (checked.status, run["broken"]) == (ExitStatus.BROKEN, ["full-rows"])
    assert "while no fault struck" in full["sentence"]
