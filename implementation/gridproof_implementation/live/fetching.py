"""Programs of others that fetch or build, run to their end."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gridproof_implementation.adapter import AdapterError

REASON_MAX = 200
_ABSENT = (
    "Could not find artifact",
    "could not be found in central",
    "No matching distribution found",
    "unknown revision",
    "notarget",
)
"""How Maven, pip, Go and npm say that there is no such release."""


def run_fetcher(
    command: Sequence[str],
    folder: Path,
    wanted: str,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command in a folder; AdapterError with what was wanted and the reason where it fails or takes too long."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise AdapterError(f"{wanted} could not be had within {timeout_s:.0f} s; try again") from None
    if done.returncode != 0 and any(sign in done.stdout + done.stderr for sign in _ABSENT):
        raise AdapterError(f"{wanted} is nowhere where {Path(command[0]).name} looks; name a release that there is")
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        reason = next((line for line in lines if _is_reason(line)), "no reason given")
        raise AdapterError(f"{Path(command[0]).name} could not fetch {wanted}: {reason[:REASON_MAX]}")


def _is_reason(line: str) -> bool:
    is_go = line.startswith("go:") and not line.startswith(("go: downloading", "go: added", "go: creating"))
    return "ERROR" in line or "unresolved" in line.lower() or is_go
