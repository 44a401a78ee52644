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
_PID_FOLDER = "gridproof-live"
_MARK = "gridproof_implementation.live."
"""Stands on the command line of every process a fleet starts."""


class Fleet:
    """Processes started under one roof: a folder for their files, a file with their ids."""

    def __init__(self) -> None:
        self._processes: list[LiveProcess] = []
        self._folder: Path | None = None

    def __enter__(self) -> "Fleet":
        end_strays()
        pid_folder().mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="gridproof-"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        self._pid_file().unlink(missing_ok=True)
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
        with self._pid_file().open("a") as file:
            file.write(f"{process.pid}\n")
        try:
            return process, process.hello(timeout_s)
        except (ChannelClosedError, NoAnswerError) as error:
            process.kill()
            raise AdapterError(f"{name} did not come up ({error}); its last words: {process.last_words()}") from error

    def _pid_file(self) -> Path:
        return pid_folder() / f"{os.getpid()}-{id(self)}.pids"


def pid_folder() -> Path:
    """Return the folder that holds one file of process ids per fleet, named after its driver."""
    return Path(tempfile.gettempdir()) / _PID_FOLDER


def end_strays() -> int:
    """Kill members whose driver is gone, and return how many there were.

    Only processes whose command line still names a live module are touched: ids are reused.
    """
    ended = 0
    for file in pid_folder().glob("*.pids"):
        if _exists(int(file.name.split("-")[0])):
            continue
        for pid in (int(line) for line in file.read_text().split()):
            if _MARK in _command_line(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    ended += 1
        file.unlink(missing_ok=True)
    return ended


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
