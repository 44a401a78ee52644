"""Command lines that nobody means, drawn by Hypothesis.

Each ends with a status of the house within its time; wrong use is one line and leaves nothing behind.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front_door.command_line import CommandLine
from tests.front_door.hostile import CALM, try_one
from tests.profiles import examples

HOSTILE = (
    "", "-1", "0", "1", "2", "3", "1.5", "1e9", "nan", "inf", "-inf", "9" * 20, "9" * 400, "0x10", "1_0", "٣", "é",
    "a" * 300, "../x", "/", "/dev/null", ".", "..", "a/b", ",", ",,", "a,b", "=", "x=", "=1", "x=1", "size=2",
    "size=-1", "size=99999999999999999999", "members=3", ":", "a:b", "json:dumps", "reference", "register", "crash",
    "none", "all", "two_phase_commit", "replication", "M01", "\x00", "\x1b[31m", "\n", "--", "-", "--json", "%s",
    "{}", "[bold]", "nothing.yaml", "broken.yaml", "grid.yaml", "trace.jsonl", "broken.jsonl", "folder",
    "binary.parquet", "scenario.json", "own.py", "*=1/s", "*=now", "*=never", "*=1/us", "1/0s", "1y", "1e30y",
    "size=1..2", "time=1s..1y:2", "coordinator_aborts=1/s..1/y:2", "prism", "all_managers_commit", "manager_*",
    "latency=2ms", "crash=1/s", "crash=1/0s", "grid=plain", "loss=1e9",
    "latency=empirical(folder)", "latency=pareto(1ms,0)", "time=1s", "keys=-1", "arrival=1/us", "1/30s", "plan.toml",
    "loss ± 10 %", "loss",
)  # fmt: skip
"""Values that some option may take, and that most may not; the last ones name files that are there."""
SMALL = {
    "simulate": ("--runs", "1", "--members", "2"),
    "replay": ("7",),
    "explain": ("7", "--prefixes", "3", "--continuations", "1"),
    "explore": ("two_phase_commit", "--size", "2"),
    "measure": ("two_phase_commit", "--size", "2", "--rate", "*=1/s"),
    "prove": (),
    "show": (),
    "export": ("two_phase_commit",),
    "specs": (),
    "story": (),
    "systems": (),
    "report": (),
    "audit": ("--engine", "local"),
    "check": ("--members", "1"),
    "papers": ("data-loss-1988", "--quick"),
    "campaign": (),
    "study": (),
}
"""What keeps each command small, unless something drawn says otherwise."""
OPTIONS = (
    "--seed", "--members", "--backups", "--faults", "--workload", "--at-least", "--steps", "--minutes", "--config",
    "--map", "--set", "--whole", "--out", "--svg", "--writes", "--size", "--symmetry", "--no-eventually",
    "--memory", "--engine", "--budget", "--starts", "--quick", "--hosts", "--zones", "--system", "--workers",
    "--json", "--nonsense", "-h", "--rate", "--time", "--of", "--events", "--sweep", "--language",
    "--until", "--only", "--mutant", "--prefixes", "--continuations", "--find", "--claim", "--with",
)  # fmt: skip
TOO_LONG = {"--minutes", "--starts", "--runs", "--members", "--prefixes", "--continuations"}
"""Options that make a command take long where their value is large and allowed."""


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Draw a command with a few options, values and words."""
    command = draw(st.sampled_from([*SMALL, "nonsense"]))
    words = list(SMALL.get(command, ())) if draw(st.booleans()) or command in ("simulate", "explore") else []
    for _ in range(draw(st.integers(0, 3))):
        option = draw(st.sampled_from(OPTIONS))
        value = draw(st.sampled_from(HOSTILE))
        if option in TOO_LONG and value.isdecimal() and int(value) in (2, 3):
            value = "1"
        words += draw(st.sampled_from([[option, value], [value], [option], [f"{option}={value}"]]))
    return [command, *words]


@pytest.fixture
def littered(tmp_path: Path) -> Path:
    """A folder with files of every kind that a command may be given."""
    (tmp_path / "broken.yaml").write_text("hazelcast: [\n", encoding="utf-8")
    (tmp_path / "grid.yaml").write_text("hazelcast:\n  map:\n    default:\n      backup-count: 1\n", encoding="utf-8")
    (tmp_path / "trace.jsonl").write_text(
        json.dumps(
            {
                "record": "run",
                "run": "r",
                "system": "s",
                "version": "1",
                "seed": 0,
                "partition_count": 2,
                "backup_count": 1,
            }
        )
        + "\n",
        encoding="utf-8",
    )
    (tmp_path / "broken.jsonl").write_text('{"record": "run"\n', encoding="utf-8")
    (tmp_path / "scenario.json").write_text('{"scenario": 1, "members": "many"}', encoding="utf-8")
    (tmp_path / "binary.parquet").write_bytes(bytes(range(256)))
    (tmp_path / "plan.toml").write_text("runs = 1\n[grid]\nmembers = [0]\n", encoding="utf-8")
    (tmp_path / "own.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


@settings(max_examples=examples(40, nightly=10_000), suppress_health_check=CALM)
@given(command_lines())
def test_a_hostile_command_line_is_reported_so(gridproof: CommandLine, littered: Path, words: list[str]) -> None:
    try_one(gridproof, littered, words)


@pytest.mark.parametrize(
    "words",
    ["audit", "report", "check --out", "check --junit", "check --config", "study", "campaign", "papers --page"],
)
def test_an_empty_path_is_not_the_current_folder(words: str, gridproof: CommandLine) -> None:
    refused = gridproof(*words.split(), "")

    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "the path is empty; name a file or folder" in refused.err


@pytest.mark.parametrize("words", ["audit", "check --out", "check --system reference --junit"])
def test_a_path_that_would_break_the_line_is_refused(words: str, gridproof: CommandLine) -> None:
    refused = gridproof(*words.split(), "a\x1b[31m\nb")

    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert r"the path 'a\x1b[31m\nb' has a line end or control character; give it another name" in refused.err


@pytest.mark.parametrize("words", ["check --system", "compare reference"])
def test_an_empty_name_of_a_system_is_not_the_current_folder(words: str, gridproof: CommandLine) -> None:
    refused = gridproof(*words.split(), "")

    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "no system is called ''" in refused.err
