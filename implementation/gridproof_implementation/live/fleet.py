"""Every process of one audit, ended together.

Three nets, each for the case that the one before it failed: leaving the `Fleet` kills what it started; an agent whose
driver is gone ends itself (its standard input ends); and every process carries the name of its fleet's folder in its
environment, so that the next fleet ends what is left over all the same (docs/faults-on-live-systems.md).
"""

import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.process import (
    AgentError,
    AgentGoneError,
    AgentProcess,
    Launch,
    NoAnswerError,
    NotOfferedError,
    NotSentError,
)
from gridproof_model.trace import Outcome
from gridproof_model.whole_file import is_running

UNREACHABLE = (AgentGoneError, NoAnswerError)
"""There was no answer."""
FAILED = (*UNREACHABLE, AgentError, NotOfferedError)
"""There was none that helps."""
HOST = "127.0.0.1"
"""Where members listen: never on more than this machine."""
MARK = "GRIDPROOF_FLEET"
"""The environment variable that names the folder of the fleet."""
FOLDER = "GRIDPROOF_FOLDER"
"""The environment variable that gives agents the path of a folder of this run alone, which is removed with it."""
_ROOF = "gridproof-live"


NOT_SENT = "it was not sent: "
"""How the detail begins of what reached nobody, and may be asked of another."""


def without_answer(error: Exception) -> tuple[Outcome, str]:
    """Return what a call came to that brought no answer: refused where it was never sent, else unknown."""
    is_not_sent = isinstance(error, NotSentError)
    return (Outcome.REFUSED, f"{NOT_SENT}{error}") if is_not_sent else (Outcome.UNKNOWN, str(error))


class Fleet:
    """Processes started under one roof: a folder for their logs, named after the driver."""

    def __init__(self) -> None:
        self._processes: list[AgentProcess] = []
        self._folder: Path | None = None
        self._environment: dict[str, str] = {}

    def __enter__(self) -> "Fleet":
        end_strays()
        roof().mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=roof()))
        (self._folder / "data").mkdir()
        self._environment = {MARK: self._folder.name, FOLDER: str(self._folder / "data")}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def processes(self) -> tuple[AgentProcess, ...]:
        """Everything started so far, running or not, in order."""
        return tuple(self._processes)

    def start(self, name: str, launch: Launch) -> AgentProcess:
        """Start an agent; AdapterError when there is no such program."""
        if self._folder is None:
            raise AdapterError(f"cannot start {name}: enter the fleet first (`with Fleet() as fleet:`)")
        try:
            process = AgentProcess(name, launch, self._folder / f"{name}.log", self._environment)
        except OSError as error:
            raise AdapterError(
                f"cannot start {name}: {launch.command[0]}: {error.strerror}; install it, or name it in full"
            ) from None
        self._processes.append(process)
        return process


def roof() -> Path:
    """Return the folder that holds one folder per fleet, named after its driver's process id."""
    return Path(tempfile.gettempdir()) / _ROOF


def end_strays() -> int:
    """End processes whose driver is gone, remove their folders, and return how many processes there were.

    Only a process that carries the name of such a folder in its environment is touched: ids are reused.
    """
    gone = [folder for folder in roof().glob("*-*") if not is_running(int(folder.name.split("-")[0]))]
    marks = {f"{MARK}={folder.name}".encode() for folder in gone}
    ended = 0
    for process in Path("/proc").glob("[0-9]*") if marks else ():
        with suppress(OSError):  # another user's, or gone meanwhile
            if not marks.isdisjoint((process / "environ").read_bytes().split(b"\0")):
                os.kill(int(process.name), signal.SIGKILL)
                ended += 1
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return ended
