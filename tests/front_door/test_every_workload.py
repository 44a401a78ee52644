"""Every workload leaves a trace that every reader can read."""

from pathlib import Path

import pytest

from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine

SEED = 23
"""Its minute takes three scripts, whatever clients do."""
BY_DAY = ("register", "queue", "entries", "safety", "jobs")
"""One of each kind: a value, a structure, several entries in a call, what is asked of the cluster, a job."""
PLAIN = ("--members", 2, "--backups", 1, "--faults", "none", "--at-least", 0)


@pytest.mark.parametrize(
    ("workload", "several"),
    [
        pytest.param(
            one.name,
            several,
            id=f"{one.name}-{'several' if several else 'one script'}",
            marks=[pytest.mark.nightly] * (one.name not in BY_DAY or (several and place > 0)),
        )
        for place, one in enumerate(EVERY_WORKLOAD)
        for several in (False, True)
    ],
)
def test_its_trace_is_audited_and_has_a_page(gridproof: CommandLine, workload: str, several: bool) -> None:
    lasting = ("--minutes", 1) if several else ()

    simulated = gridproof("simulate", "--seed", SEED, *PLAIN, "--workload", workload, *lasting, "--out", "run")
    audited = gridproof("audit", "run/trace.jsonl", "--engine", "local", "--out", "audited")
    reported = gridproof("report", "run")

    assert simulated.status == ExitStatus.HOLDS
    assert audited.status == reported.status == ExitStatus.UNKNOWN
    for page in (Path("run/report.html"), next(Path("audited").glob("*/report.html"))):
        assert "none is broken" in page.read_text()
