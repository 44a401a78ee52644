"""What the originals come to on this machine: TLC's count of their states, and the processor time of Endive.

Both need a copy of github.com/will62794/endive (8b6f2ab) in a folder, and Java; Endive needs the package `pyeda`, too.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.protocols.measured import Endive
from tools.protocols.originals import Original

JAR = "tla2tools-checkall.jar"
WALL_TIMES = 6
"""Of the limit in processor time: a machine may be busy."""
_COUNTED = re.compile(r"states generated, ([\d,]+) distinct states found, 0 states left")


def is_in(original: Original, folder: Path) -> bool:
    """Return whether an original's text is in a copy of Endive's repository; Voting is of the TLA+ examples."""
    return (folder / "benchmarks" / f"{original.module}.tla").is_file()


def counted(original: Original, folder: Path) -> int | None:
    """Return how many states TLC finds of the original; None where it has no text in TLA+."""
    if original.module is None:
        return None
    lines = ["INIT Init", "NEXT Next", "CONSTANTS", *(f"{name} = {said}" for name, said in original.constants.items())]
    if original.constraint is not None:
        lines.append(f"CONSTRAINT {original.constraint}")
    with tempfile.TemporaryDirectory() as scratch:
        configuration = Path(scratch) / "world.cfg"
        configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["java", "-XX:+UseSerialGC", "-Xmx2g", "-cp", str(folder / JAR), "tlc2.TLC", "-deadlock"]
        options = ["-workers", "1", "-noGenerateSpecTE", "-metadir", scratch, "-config", str(configuration)]
        done = subprocess.run(
            [*command, *options, original.module],
            cwd=folder / "benchmarks",
            capture_output=True,
            text=True,
            check=False,
        )
    found = _COUNTED.search(done.stdout)
    if found is None:
        raise RuntimeError(f"TLC did not end on {original.module}: {done.stdout[-500:]}")
    return int(found[1].replace(",", ""))


def endive_on(original: Original, folder: Path, limit_s: float) -> Endive | None:
    """Return what Endive made of the original, ended at a limit in seconds of processor time; None where it has none.

    With the seed of its paper and two workers of TLC.
    """
    if original.module is None or not original.is_listed:
        return None
    options = ["--name", original.name, "--tlc_workers", "2", "--fmcad22", "--java_exe", "java -Xss4M -Xmx2g"]
    with tempfile.TemporaryDirectory() as scratch:
        said = Path(scratch) / "said.txt"
        with said.open("w") as log:
            command = [sys.executable, "-u", "benchmark.py", *options, "--results_dir", scratch]
            process = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
            used_s, began_s = 0.0, time.monotonic()
            while process.poll() is None and used_s <= limit_s and time.monotonic() - began_s <= limit_s * WALL_TIMES:
                used_s = max(used_s, _used_s(process.pid))
                time.sleep(0.3)
            has_ended = process.poll() is not None
            if not has_ended:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        text = said.read_text(errors="replace")
    if has_ended and process.returncode != 0:
        raise RuntimeError(f"Endive failed on {original.name}: {text[-500:]}")
    if has_ended and "likely inductive?" not in text:
        return None  # its list has the name, and no way to run it
    return Endive(round(used_s, 1), has_ended, "likely inductive? True" in text)


def _used_s(session: int) -> float:
    """Return the processor time that the processes of a session, and what they have waited for, have used."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = process.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        ticks += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")
