"""What a system says of itself, in an agent's hello and in a file: whose word a verdict stands on."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.answers import HELLO
from gridproof_implementation.promise import ALWAYS, FaultCondition, PromiseWord
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.events.conditions import StatedTable, StatedTimes
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine
from tests.front_door.test_live_green import RESTART, scenario
from tests.house.source_tree import ROOT
from tests.properties import live_toy

PROMISE = {"word": "promised", "source": "its page, line 1"}
HELD_TO = ("linearizability", "queue-order-kept", "acknowledged-append-kept", "acknowledged-write-kept")


def write_agent(change: str = "", **hello: Any) -> None:
    """Write a toy into the folder `mine`, whose hello says this besides."""
    said = f"operations={live_toy.KINDS}, partitions=1, **{hello!r}"
    Path("mine").mkdir()
    Path("mine/agent.py").write_text(f"{live_toy.AGENT}{change}\nserve('toy', '1', {live_toy.VERBS}, {said})\n")
    Path("mine/adapter.json").write_text(json.dumps({"name": "mine", "command": [sys.executable, "agent.py"]}))


def promises(**fields: Any) -> Mapping[str, Any]:
    return {name: {**PROMISE, **fields} for name in (*HELD_TO, "one-replica-per-member")}


def test_a_promise_says_in_a_hello_all_that_it_says_in_python() -> None:
    fields = {**PROMISE, "least_backups": 1, "most_backups": 2, "grouped": "weakness", "under": "always"}
    weakness = {"takes": ["backups-converge"], "when": "cut", "begins": "heal", "ends": "never", "source": "page 4"}
    times = {"accepted_within_ms": 10, "restored_within_ms": 20, "source": "page 5"}
    table = {"ranked": False, "balance_factor": 1.25, "source": "page 6"}
    hello = HELLO.read(
        {
            "id": 0, "protocol": 1, "system": "toy", "version": "1", "offers": [], "weaknesses": [weakness],
            "promises": {"full-rows": {**fields, "where_asked": True}}, "times": times, "table": table,
        }
    )  # fmt: skip

    promise = hello.promises["full-rows"]
    assert (promise.least_backups, promise.most_backups, promise.grouped) == (1, 2, PromiseWord.WEAKNESS)
    assert (promise.under, promise.where_asked, promise.by) == (ALWAYS, True, "the hello")
    assert hello.weaknesses[0].when == (FaultCondition.CUT,)
    assert hello.times == StatedTimes(10, 20, "page 5")
    assert hello.table == StatedTable(ranked=False, balance_factor=1.25, source="page 6")


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
        ({"table": {"balance_factor": 0.5, "source": "p"}}, "table: balance_factor must be a number from 1 to 1,000"),
        ({"weaknesses": [{"takes": "full-rowz", "when": "cut", "source": "p"}]}, "a weakness of 'full-rowz'"),
        (
            {"weaknesses": [{"takes": "key-to-partition", "when": "cut", "source": "p"}]},
            "a weakness of 'key-to-partition', which is about no moment: no fault takes it away, so leave it out",
        ),
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
    [
        *(
            pytest.param(lie, "always", ExitStatus.BROKEN, marks=[pytest.mark.nightly] * (lie != "forgets"))
            for lie in LIES
        ),
        ("forgets", "calm", ExitStatus.UNKNOWN),
    ],
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
    assert "while no fault was in effect" in full["sentence"]


POCKET = ("check", "--system", "pocket_adapter.py:ADAPTER")
READ = {"word": "promised", "source": "its page 9"}


def says(**said: Any) -> str:
    """Write a file of promises; return its name."""
    Path("read.json").write_text(json.dumps(said))
    return "read.json"


def said_of(verdicts: Sequence[Mapping[str, Any]], name: str) -> tuple[str, str | None]:
    found = next(one for one in verdicts if one["property"] == name)
    return found["promise"], found["promised_by"]


@pytest.fixture
def pocket(tmp_path: Path) -> None:
    for name in ("pocket_adapter.py", "pocket_grid.py"):
        shutil.copy(ROOT / "docs/examples" / name, tmp_path)


@pytest.mark.usefixtures("pocket")
def test_an_auditors_word_goes_before_the_adapters_and_is_named_wherever_it_decides(gridproof: CommandLine) -> None:
    withdrawn = {"word": "withdrawn", "source": "its page 7"}
    file = says(promises={"views-agree": withdrawn, "acknowledgement-means-copies": READ, "polled-was-offered": READ})
    by = "the auditor's read.json"

    checked = gridproof(*POCKET, "--promises", file, "--out", "run", "--junit", "j.xml", "--sarif", "s.json", "--json")
    judged = gridproof("audit", "run", "--json", "--out", "again")

    assert checked.status == ExitStatus.BROKEN
    assert checked.json["stated_and_not_held"] == [
        "polled-was-offered was compared with nothing: no value was polled, so nothing was compared"
    ]
    for verdicts in (checked.json["verdicts"], judged.json["runs"][0]["verdicts"]):
        assert said_of(verdicts, "views-agree") == ("none", by)
        assert said_of(verdicts, "acknowledgement-means-copies") == ("promised", by)
        assert said_of(verdicts, "full-rows") == ("promised", "the adapter")
    assert f'<property name="promised by" value="{by}" />' in Path("j.xml").read_text()
    assert f'"promised by": "{by}"' in Path("s.json").read_text()
    page = Path("run/report.html").read_text()
    assert "withdrawn in its page 7 (the auditor&#39;s read.json says so)" in page
    assert "promised in its page 9 (the auditor&#39;s read.json says so)" in page


@pytest.mark.usefixtures("pocket")
def test_a_trace_is_judged_by_what_an_auditor_states_later(gridproof: CommandLine) -> None:
    gridproof(*POCKET, "--out", "run")
    crash = {"takes": "acknowledgement-means-copies", "when": ["crash", "leave"], "source": "page 3", "ends": "never"}
    stated, weak = {"promises": {"acknowledgement-means-copies": READ}}, {"weaknesses": [crash]}

    kept = gridproof("audit", "run", "--promises", says(**stated), "--out", "a", "--json")
    admitted = gridproof("audit", "run", "--promises", says(**stated, **weak), "--out", "b", "--json")
    declined = says(**stated, **weak, declines=["acknowledgement-means-copies"])
    held = gridproof("audit", "run", "--promises", declined, "--out", "c", "--json")

    of_it = [
        next(one for one in found.json["runs"][0]["verdicts"] if one["property"] == "acknowledgement-means-copies")
        for found in (kept, admitted, held)
    ]
    assert [one["promise"] for one in of_it] == ["promised"] * 3
    assert (kept.status, held.status) == (ExitStatus.BROKEN, ExitStatus.BROKEN)
    assert [out["source"] for out in of_it[1]["out_of_scope"]] == ["page 3 (the auditor's read.json says so)"]
    assert of_it[0]["out_of_scope"] == of_it[2]["out_of_scope"] == []


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ('{"promis": {}}', "the file has no field 'promis': did you mean promises?"),
        ('{"promises": {"vews-agree": {"word": "withdrawn", "source": "p"}}}', "'vews-agree', which is no"),
        ('{"promises": {"full-rows": {"word": "withdrown", "source": "p"}}}', "promised or weakness or withdrawn, not"),
        ('{"promises": {"full-rows": {"word": "promised"}}}', 'promises.full-rows: "source" is missing'),
        ('{"declines": ["vews-agree"]}', "declines weaknesses of 'vews-agree', which is no property: did you mean"),
        ('{"promises": {"full-rows": 1, "full-rows": 2}}', "is given twice"),
        ("{}", "the file states no promise; state at least one, as in"),
        ("[" * 100_000, "the file of promises is no valid JSON"),
        (" " * 2_000_000, "it is larger than 1,048,576 bytes"),
    ],
    ids=range(9),
)  # fmt: skip
def test_a_file_of_promises_that_is_none_is_one_line(gridproof: CommandLine, said: str, refused: str) -> None:
    Path("read.json").write_text(said)

    checked = gridproof("check", "--promises", "read.json", "--out", "run")

    assert (checked.status, checked.err.count("\n")) == (ExitStatus.WRONG_USE, 1)
    assert refused in checked.err
    assert not Path("run").exists()


def test_a_file_of_promises_speaks_of_one_system(gridproof: CommandLine) -> None:
    file = says(promises={"full-rows": READ})

    checked = gridproof("check", "--system", "uhashring", "--system", "clandestined", "--promises", file)

    assert checked.status == ExitStatus.WRONG_USE
    assert "the file is about one system" in checked.err


def test_an_agent_withdraws_nothing() -> None:
    hello = {"id": 0, "protocol": 1, "system": "toy", "version": "1", "offers": []}

    with pytest.raises(AdapterError, match="must be promised or weakness, not 'withdrawn'"):
        HELLO.read({**hello, "promises": {"full-rows": {"word": "withdrawn", "source": "p"}}})


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_what_an_auditor_states_under_faults_is_held_against_a_strangers_grid(gridproof: CommandLine) -> None:
    write_agent(live_toy.FORGETS_AFTER_A_RESTART, promises={"full-rows": PROMISE})
    write_scenario(Path("scenario.json"), scenario("register", RESTART), "nothing yet")
    kept = {"acknowledged-write-kept": {**READ, "under": ["calm", "restart"]}, "views-agree": {**READ, "under": "cut"}}
    file = says(promises=kept)
    line = ("check", "--system", "mine", "--scenario", "scenario.json", "--times", 1)

    bare = gridproof(*line, "--out", "bare", "--json")
    checked = gridproof(*line, "--promises", file, "--out", "run", "--json")
    judged = gridproof("audit", "bare", "--promises", file, "--out", "again", "--json")

    assert (bare.status, checked.status, judged.status) == (ExitStatus.UNKNOWN, ExitStatus.BROKEN, ExitStatus.BROKEN)
    assert bare.json["scenarios"][0]["runs"][0]["held"] == {"compared": 0, "promised": 1}
    run = checked.json["scenarios"][0]["runs"][0]
    assert (run["broken"], run["held"]) == (["acknowledged-write-kept"], {"compared": 1, "promised": 2})
    assert said_of(run["verdicts"], "acknowledged-write-kept") == ("promised", "the auditor's read.json")
    (not_held,) = checked.json["stated_and_not_held"]
    assert not_held.startswith("views-agree was compared with nothing: by what the file says of")
    assert judged.json["stated_and_not_held"] == [not_held]
