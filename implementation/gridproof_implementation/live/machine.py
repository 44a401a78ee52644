"""The machine that a live run ran on, in one line: what is measured there is of this machine."""

import os
import platform
from functools import cache
from pathlib import Path


@cache
def describe_machine() -> str:
    """Return processors, memory, kernel, architecture and Python, as far as they can be read."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parts = [f"{cores} processor{'' if cores == 1 else 's'}"]
    if (memory := _memory_mib()) is not None:
        parts.append(f"{memory:,} MiB")
    kernel = f"{platform.system()} {platform.release()} {platform.machine()}"
    return ", ".join([*parts, kernel, f"Python {platform.python_version()}"])


def _memory_mib() -> int | None:
    try:
        words = Path("/proc/meminfo").read_text(encoding="ascii").split()
        return int(words[words.index("MemTotal:") + 1]) // 1024
    except (OSError, ValueError, IndexError):
        return None
