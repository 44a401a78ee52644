"""What the exit status looks at."""

import pytest

from gridproof.ci.baseline import Baseline, KnownFailure
from gridproof.ci.gate import Gate, JudgedRun, Outcome
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.verdict import Result
from tests.front_door.command_line import CommandLine
from tests.front_door.judged_runs import EVERYTHING, judged, verdict

GRIDS = "tests.front_door.bad_grids"
BROKEN_ROWS = judged(results={"full-rows": Result.BROKEN})
UNKNOWN_ROWS = judged(results={"full-rows": Result.UNKNOWN})
KNOWS_ROWS = Baseline(None, (KnownFailure("full-rows", Result.BROKEN, "grid"),))
OTHERS_ONLY = Gate(frozenset({"acknowledged-write-kept"}), "--only acknowledged-write-kept")


@pytest.mark.parametrize(
    ("gate", "run", "status"),
    [
        (EVERYTHING, judged(), ExitStatus.HOLDS),
        (EVERYTHING, BROKEN_ROWS, ExitStatus.BROKEN),
        (EVERYTHING, UNKNOWN_ROWS, ExitStatus.UNKNOWN),
        (EVERYTHING, judged(weakness=Result.BROKEN), ExitStatus.HOLDS),
        (EVERYTHING, judged(failure="it does not start"), ExitStatus.UNKNOWN),
        (OTHERS_ONLY, BROKEN_ROWS, ExitStatus.HOLDS),
        (Gate(frozenset({"full-rows"})), BROKEN_ROWS, ExitStatus.BROKEN),
        (Gate(frozenset({"leaves-end"})), judged(), ExitStatus.UNKNOWN),
        (Gate(baseline=KNOWS_ROWS), BROKEN_ROWS, ExitStatus.HOLDS),
        (Gate(baseline=KNOWS_ROWS), judged("other", results={"full-rows": Result.BROKEN}), ExitStatus.BROKEN),
    ],
)
def test_the_exit_status_of_a_run(gate: Gate, run: JudgedRun, status: int) -> None:
    assert gate.status([run]) == status


def test_what_is_not_asked_for_is_reported() -> None:
    (line,) = OTHERS_ONLY.lines([BROKEN_ROWS])

    assert line.endswith("(--only acknowledged-write-kept); not counted, though broken or unknown: full-rows")
    assert OTHERS_ONLY.outcome(BROKEN_ROWS, verdict("full-rows", Result.BROKEN)) is Outcome.NOT_COUNTED


def test_only_looks_at_the_named_property(gridproof: CommandLine) -> None:
    system = f"{GRIDS}:AND_BREAKS_A_PROMISE"
    gridproof("check", "--system", system, "--out", "run")

    held = gridproof("report", "run", "--only", "one-replica-per-member")
    unseen = gridproof("report", "run", "--only", "lock-excludes")

    assert (held.status, unseen.status) == (ExitStatus.BROKEN, ExitStatus.UNKNOWN)
    assert "the exit status looks at 1 property (--only lock-excludes)" in unseen.out


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("check --only group-separatio", "did you mean group-separation"),
        ("check --only backup-never-goes-back", "does not promise this property; "),
        ("check --system uhashring --only full-rows", "uhashring does not promise this property"),
        ("simulate --only key-to-partition", "simulated reference does not promise this property"),
        ("simulate --runs 2 --only linearizability", "simulated reference does not promise this property"),
        ("audit run/trace.jsonl --only key-to-partition", "simulated reference does not promise this property"),
        ("report run --only key-to-partition", "simulated reference does not promise this property"),
    ],
)
def test_what_is_never_promised_cannot_be_asked_for_alone(gridproof: CommandLine, line: str, near: str) -> None:
    if "run" in line.split()[1]:
        gridproof("simulate", "--set", "operations=8", "--out", "run")

    done = gridproof(*line.split())

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert near in done.err


def test_a_severity_looks_at_what_is_as_bad_or_worse(gridproof: CommandLine) -> None:
    every = ("simulate", "--runs", 2, "--seed", 1, "--faults", "none", "--workers", 1, "--json")

    runs = gridproof(*every, "--fail-on", "data-loss")

    assert "acknowledged-write-kept" in runs.json["counted"]
    assert "balance-of-primaries" not in runs.json["counted"]
    assert set(runs.json["unseen"]) <= set(runs.json["counted"])


@pytest.mark.parametrize("command", [("check",), ("audit", "absent.jsonl"), ("report", "absent"), ("simulate",)])
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--only", "full-row"), "no property is called 'full-row': did you mean full-rows?"),
        (("--fail-on", "bad"), "invalid choice: 'bad'"),
        (
            ("--only", "full-rows", "--fail-on", "data-loss"),
            "--only full-rows --fail-on data-loss: no property that --only names is that severe",
        ),
    ],
)
def test_a_wrong_name_is_one_line_before_the_work(
    gridproof: CommandLine, command: tuple[str, ...], words: tuple[str, ...], complaint: str
) -> None:
    wrong = gridproof(*command, *words)

    assert wrong.status == ExitStatus.WRONG_USE
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1
    assert wrong.out == ""
