"""What `check --runs` may not call green: nothing promised was compared, or a fault struck nobody."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gridproof_implementation.live.draw import LiveDrawOptions, draw_live_scenario
from gridproof_implementation.live.operations import SPARED
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.trace import OperationKind
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine, Outcome

TOY = "tests.properties.live_toy"
SPAN_MS = 2_500
"""Long enough for a member to be started again on a busy machine, with work left."""
RESTART = FaultEvent("restart", 300, 0, (0,))
LATE_TWICE = ("--times", 2, "--at-least", 2, "--time-limit", 0.001)
"""The second time comes too late."""
LATE = FaultEvent("pause", SPAN_MS + 60_000, 100, (0,))
NOBODY = FaultEvent("pause", 300, 100, (7,))
WHOLE_MS = 10_000
"""All of it: what a member does once it was started again shows only in what is asked after that."""


def scenario(workload: str, *fault_events: FaultEvent, span_ms: int = SPAN_MS) -> Scenario:
    """Return what clients ask for at the beginning of a drawn scenario, with these fault events."""
    options = LiveDrawOptions(3, 1, 0, 1, 200, (), networked=False, workload=workload, off=SPARED)
    drawn = draw_live_scenario(1, options)
    passed_ms: dict[int, int] = {}
    kept: list[ClientOperation] = []
    for one in drawn.scripts[0].client_operations:
        passed_ms[one.client] = passed_ms.get(one.client, 0) + one.pause_ms
        kept += [one] if passed_ms[one.client] < span_ms else []
    return drawn.with_scripts((Script(tuple(kept), fault_events),))


def play(gridproof: CommandLine, toy: str, played: Scenario, *words: object) -> Outcome:
    """Play a scenario once on a toy, into the folder `run`."""
    write_scenario(Path("scenario.json"), played, "nothing yet")
    fixed: Sequence[object] = ("--scenario", "scenario.json", "--out", "run")
    words = words if "--times" in words else ("--times", 1, *words)
    return gridproof("check", "--system", f"{TOY}:{toy}", *fixed, *words)


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    ("toy", "workload", "broken"),
    [
        ("REORDERING_TOY", "queue", "queue-order-kept"),
        pytest.param("REPEATING_TOY", "counter", "linearizability", marks=pytest.mark.nightly),
        pytest.param("REPEATING_TOY", "queue", "linearizability", marks=pytest.mark.nightly),
        pytest.param("SHORTENING_TOY", "appends", "acknowledged-append-kept", marks=pytest.mark.nightly),
        ("LOSING_TOY", "register", "acknowledged-write-kept"),
    ],
)
def test_a_lie_under_a_fault_that_nothing_is_promised_under_is_unknown_and_named(
    gridproof: CommandLine, toy: str, workload: str, broken: str
) -> None:
    checked = play(gridproof, toy, scenario(workload, RESTART), "--at-least", 0)

    first = checked.out.splitlines()[0]
    assert checked.status == ExitStatus.UNKNOWN
    assert "nothing that is promised was compared, since the system promises nothing where" in first
    assert "it promises only of a calm grid: " in first
    assert broken in first.partition("broken there and not promised: ")[2]
    assert gridproof("audit", "run", "--engine", "local").status == ExitStatus.UNKNOWN


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    ("fault_event", "why"),
    [
        pytest.param(LATE, "it came after the clients' work had ended", marks=pytest.mark.nightly),
        (NOBODY, "nobody ran at its address"),
    ],
)
def test_a_fault_that_struck_nobody_is_said_first_and_is_unknown(
    gridproof: CommandLine, fault_event: FaultEvent, why: str
) -> None:
    checked = play(gridproof, "CALM_TOY", scenario("register", fault_event), "--at-least", 0)
    audited = gridproof("audit", "run", "--engine", "local", "--junit", "audit.xml", "--json")

    assert checked.status == ExitStatus.UNKNOWN
    assert checked.out.splitlines()[0] == f"pause was asked for and struck nobody: {why}"
    assert "promises nothing" not in checked.out
    assert audited.status == ExitStatus.UNKNOWN
    assert list(audited.json["missed_faults"].values()) == [{"pause": why}]
    assert 'name="fault pause"' in Path("audit.xml").read_text()


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_calm_run_of_what_is_promised_in_calm_is_green_for_every_command(gridproof: CommandLine) -> None:
    checked = play(gridproof, "CALM_TOY", scenario("register"), "--json")

    assert checked.status == ExitStatus.HOLDS
    assert (checked.json["missed_faults"], checked.json["unseen"], checked.json["blind"]) == ({}, [], [])
    assert gridproof("audit", "run", "--engine", "local").status == ExitStatus.HOLDS


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_all_that_a_scenario_written_by_hand_asks_for_is_asked_for(gridproof: CommandLine) -> None:
    asked = tuple(ClientOperation("register", OperationKind.WRITE, "register-a", f"x{n}", 0, 300) for n in range(3))

    checked = play(gridproof, "CALM_TOY", scenario("register").with_scripts((Script(asked, ()),)), "--json")

    assert checked.json["scenarios"][0]["runs"][0]["outcomes"]["ok"] == 3


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    "workload", ["register", *(pytest.param(each, marks=pytest.mark.nightly) for each in ("cells", "queue"))]
)
def test_a_run_in_which_no_change_was_acknowledged_is_unknown(gridproof: CommandLine, workload: str) -> None:
    checked = play(gridproof, "FULL_TOY", scenario(workload, span_ms=500), "--at-least", 0, "--junit", "live.xml")

    said = "none of the changes that were asked for was acknowledged"
    assert checked.status == ExitStatus.UNKNOWN
    assert checked.out.splitlines()[0] == f"seed 1: {said}, so nothing is known of what clients asked for"
    assert said in Path("live.xml").read_text("utf-8")


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_member_that_was_not_started_again_is_said_first_and_is_unknown(gridproof: CommandLine) -> None:
    checked = play(gridproof, "LONE_TOY", scenario("register", RESTART), "--at-least", 0)
    audited = gridproof("audit", "run", "--engine", "local", "--json")

    said = "no member was started again at address 0: member-01 failed to answer start: AssertionError: there was one"
    assert (checked.status, audited.status) == (ExitStatus.UNKNOWN,) * 2
    assert checked.out.splitlines()[0].startswith(f"seed 1: {said}")
    assert f"<dt>unknown</dt><dd>{said}" in Path("run/again-1.html").read_text("utf-8")
    assert [said in why for of in audited.json["unknown"].values() for why in of.values()] == [True]


def test_how_many_runs_are_enough_is_asked_of_runs_alone(gridproof: CommandLine) -> None:
    wrong = gridproof("check", "--at-least", 2)

    assert wrong.status == ExitStatus.WRONG_USE
    assert "--at-least does not apply to the reference" in wrong.err


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    ("toy", "played", "words", "status", "said"),
    [
        ("CALM_TOY", scenario("register"), (), 0, 'failures="0" errors="0"'),
        ("CALM_TOY", scenario("register"), LATE_TWICE, 3, "held in 1 of 1 run that it is promised in, 2 are"),
        ("CALM_TOY", scenario("register", LATE), ("--at-least", 0), 3, 'name="fault pause"'),
        ("FORGETFUL_TOY", scenario("register", RESTART, span_ms=WHOLE_MS), (), 1, "<failure"),
        pytest.param(
            "FORGETFUL_TOY",
            scenario("register", RESTART, span_ms=WHOLE_MS),
            ("--only", "one-replica-per-member"),
            0,
            "not counted; ",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "LOSING_TOY",
            scenario("register", RESTART),
            ("--at-least", 0),
            3,
            "nothing was compared that is promised",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_files_for_a_server_say_what_the_status_says(
    gridproof: CommandLine, toy: str, played: Scenario, words: Sequence[object], status: int, said: str
) -> None:
    checked = play(gridproof, toy, played, *words, "--junit", "live.xml", "--sarif", "live.sarif")

    written = Path("live.xml").read_text("utf-8")
    assert checked.status == status
    assert said in written
    assert ("<failure" in written) == (status == ExitStatus.BROKEN)
    assert ("<error" in written) == (status == ExitStatus.UNKNOWN)
    assert ('"kind": "fail"' in Path("live.sarif").read_text("utf-8")) == (toy == "FORGETFUL_TOY")
