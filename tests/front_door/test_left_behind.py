"""Whatever ends the suite in the middle of a run, no process of a live system outlives it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gridproof_implementation.adapter import Adapter, Kind
from gridproof_implementation.adapters import ADAPTERS
from gridproof_implementation.live.process import MARK

LIVE = [adapter for adapter in ADAPTERS if adapter.kind is Kind.GRID and not adapter.repeatable]
PATIENCE_S = 90.0
RUNNING_S = 3.0
"""How long clients are let work once members run."""


def processes_of(driver: int) -> list[int]:
    """The processes that carry the mark of a fleet of this driver."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile, or another's
            if f"\0{MARK}={driver}-".encode() in b"\0" + (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def waited_for(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.2)
    return False


@pytest.mark.live
@pytest.mark.nightly
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
@pytest.mark.parametrize(
    "adapter",
    [
        pytest.param(one, id=one.name, marks=pytest.mark.skipif(one.missing() is not None, reason=f"{one.missing()}"))
        for one in LIVE
    ],
)
def test_nothing_is_left_behind(adapter: Adapter, number: signal.Signals, tmp_path: Path) -> None:
    words = ["check", "--system", adapter.name, "--runs", "9", "--faults", "pause", "--out", str(tmp_path / "run")]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started hears it in the background, too
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "gridproof", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as suite:
            assert waited_for(lambda: len(processes_of(suite.pid)) >= 3)
            time.sleep(RUNNING_S)
            os.kill(suite.pid, number)
            _, errors = suite.communicate(timeout=PATIENCE_S)
    finally:
        signal.signal(signal.SIGINT, before)

    assert suite.returncode != 0
    assert "Traceback" not in errors
    assert waited_for(lambda: processes_of(suite.pid) == [])
