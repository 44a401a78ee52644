"""Every process of one audit, ended together.

Three nets, each for the case that the one before it failed: leaving the `Fleet` kills what it started; a member whose
driver is gone ends itself (its channel closes); and a file with the process ids lets the next fleet end what is left
over all the same (auditable-systems 3.1).
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.process import ChannelClosedError, LiveProcess, NoAnswerError

START_TIMEOUT_S = 60.0
_ROOF = "gridproof-live"
_PIDS = "pids"
_MARK = "gridproof_implementation.live."
"""Stands on the command line of every process a fleet starts."""


class Fleet:
    """Processes started under one roof: a folder for their logs, and in it a file with their ids."""

    def __init__(self) -> None:
        self._processes: list[LiveProcess] = []
        self._folder: Path | None = None

    def __enter__(self) -> "Fleet":
        end_strays()
        roof().mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=roof()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def processes(self) -> tuple[LiveProcess, ...]:
        """Everything started so far, running or not, in order."""
        return tuple(self._processes)

    def start(
        self, name: str, module: str, arguments: Sequence[str], timeout_s: float = START_TIMEOUT_S
    ) -> tuple[LiveProcess, dict[str, Any]]:
        """Start `gridproof_implementation.live.<module>` and return it with its hello; AdapterError when it fails."""
        if self._folder is None:
            raise AdapterError(f"cannot start {name}: enter the fleet first (`with Fleet() as fleet:`)")
        process = LiveProcess(name, _MARK + module, arguments, self._folder / f"{name}.log")
        self._processes.append(process)
        with (self._folder / _PIDS).open("a") as file:
            file.write(f"{process.pid}\n")
        try:
            return process, process.hello(timeout_s)
        except (ChannelClosedError, NoAnswerError) as error:
            process.kill()
            raise AdapterError(f"{name} did not come up ({error}); its last words: {process.last_words()}") from error


def roof() -> Path:
    """Return the folder that holds one folder per fleet, named after its driver's process id."""
    return Path(tempfile.gettempdir()) / _ROOF


def end_strays() -> int:
    """End members whose driver is gone, remove their folders, and return how many members there were.

    Only a process whose command line still names a live module is touched: ids are reused.
    """
    ended = 0
    for folder in roof().glob("*-*"):
        if _exists(int(folder.name.split("-")[0])):
            continue
        for pid in _recorded(folder):
            if _MARK in _command_line(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    ended += 1
        shutil.rmtree(folder, ignore_errors=True)
    return ended


def _recorded(folder: Path) -> list[int]:
    file = folder / _PIDS
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _command_line(pid: int) -> str:
    """Return the arguments of a process, "" where the machine does not say."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""
