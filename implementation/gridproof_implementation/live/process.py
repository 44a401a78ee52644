"""One agent as a process, asked in JSON lines.

Each question is an object on one line of the agent's standard input, and each answer is an object on one line of its
standard output, with the number of its question. Answers may come in any order, and several callers may ask at once. A
late answer to a question whose caller has given up is dropped, so that it cannot be taken for the answer to a later
question.

Other text that an agent writes to standard output is kept (`noise`) and has no effect.

All processes of one audit end together. Three measures end the processes, and each of them is needed only if the
measure before it fails. Leaving the `Fleet` kills all the processes that it started, and those that these processes
started. An agent whose driver has ended ends itself, since its standard input ends. Finally, every process has the name
of its fleet's folder in its environment, so that the next fleet can end processes that are left over
(docs/faults-on-live-systems.md).
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, cast

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.attached import OwnKeys
from gridproof_model.trace import Outcome
from gridproof_model.user_error import on_a_line
from gridproof_model.whole_file import is_running

ANSWER_TIMEOUT_S = 15.0
"""An agent that does not answer within this time hangs: the time exceeds any timeout inside an audited system."""
NOISE_LINES_MAX = 20
LINE_BYTES_MAX = 64 * 1024 * 1024
"""A line that is longer is not an agent's answer, but the output of a loop that prints."""
_CHUNK_BYTES = 65_536
_LOOK_S = 1.0
"""How often a caller that waits looks whether the agent still runs."""
SWEEPS_MAX = 10
_HELLO = 0


class AgentGoneError(Exception):
    """The agent ended, or closed its end of the connection; the message says how."""


class NotSentError(AgentGoneError):
    """The agent was gone before the question was sent to it, so the question certainly had no effect."""


class NoAnswerError(Exception):
    """The agent did not answer within the given time."""


class AgentError(Exception):
    """The agent answered that it failed; the message is the agent's own description of the failure."""


class NotOfferedError(Exception):
    """The agent answered that it does not offer this verb."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How one agent is started."""

    command: tuple[str, ...]
    """The program and its arguments."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are added to the environment of the suite."""
    folder: Path | None = None
    """The working folder; None for the folder of the fleet."""


class AgentProcess:
    """A running agent; of its standard error only the end is kept."""

    def __init__(self, name: str, launch: Launch, folder: Path, mark: Mapping[str, str]) -> None:
        self.name = name
        self.keys: OwnKeys | None = None
        """The keys of this run, if others use the grid, too; None if all keys in the grid belong to this run."""
        self.noise: list[str] = []
        """The first few lines on standard output that were no JSON objects."""
        environment: dict[str, str] = {**os.environ, **launch.environment, **mark}
        self._own = frozenset([f"{AGENT}={mark[AGENT]}".encode()])
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._popen: subprocess.Popen[bytes] = subprocess.Popen(
                    list(launch.command),
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    cwd=launch.folder or folder,
                    env=environment,
                )
            except OSError:
                ours.close()
                raise
        self._watch: EndWatch | None = None
        self._log = _Log(cast("IO[bytes]", self._popen.stderr))
        self._answers = _Answers(ours, self.noise)
        self._sending = threading.Lock()
        self._number = _HELLO
        self._socket = ours

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        """Whether the process still exists."""
        return self._popen.poll() is None

    def hello(self, timeout_s: float) -> Mapping[str, Any]:
        """Return the agent's hello, which it sends by itself once it runs."""
        return self._answer(_HELLO, timeout_s)

    def ask(self, verb: str, timeout_s: float = ANSWER_TIMEOUT_S, **arguments: Any) -> Mapping[str, Any]:
        """Return the answer to one question; if there is none, raise one of the errors of this module."""
        deadline = monotonic() + timeout_s
        fields = arguments if self.keys is None else self.keys.asked(verb, arguments)
        with self._sending:
            self._number += 1
            number = self._number
            self._answers.expect(number)
            self._send({"id": number, "do": verb, **fields}, deadline)
        answer = self._answer(number, max(0.0, deadline - monotonic()))
        return answer if self.keys is None else self.keys.answered(answer)

    def kill(self) -> None:
        """End the agent and every process that it started at once (SIGKILL), and reap it."""
        self._signal(signal.SIGKILL)
        self._popen.wait()
        for _ in range(SWEEPS_MAX):  # what a process starts while it is looked for has to be looked for again
            if _signal_all(_marked(self._own), signal.SIGKILL) == 0:
                break
        self._dismiss()
        self._answers.close()
        self._log.close()

    def stop(self) -> None:
        """Stop the agent and every process that it started (SIGSTOP), until `go_on` is called or it is killed."""
        if self._watch is None and self._popen.poll() is None:
            self._watch = EndWatch(self._popen.pid)
            self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let the stopped processes continue (SIGCONT)."""
        self._signal(signal.SIGCONT)
        self._dismiss()

    def _signal(self, number: int) -> None:
        if self._popen.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._popen.pid, number)
            _signal_all(self.started(), number)

    def _dismiss(self) -> None:
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.dismiss()

    def started(self) -> Sequence[int]:
        """Return the running processes that the agent started, directly or not, also outside of its session."""
        return [process for process in _marked(self._own) if process != self._popen.pid]

    def wait_gone(self, timeout_s: float) -> bool:
        """Close the agent's standard input, wait for it to end by itself, and return whether it did."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(timeout_s)
        if self.is_running:
            return False
        self._answers.close()
        self._log.close()
        return True

    def last_words(self) -> str:
        """Return the last line the agent wrote on standard error, or "no output"."""
        lines = self._log.end(is_whole=not self.is_running).decode(errors="replace").split("\n")
        return next((on_a_line(line) for line in reversed(lines) if line.strip()), "no output")

    def how_it_ended(self) -> str:
        """Return how the process ended, with the last line that it wrote."""
        with suppress(subprocess.TimeoutExpired):  # its end of the connection closes a little before it is gone
            self._popen.wait(1)
        status = self._popen.returncode
        if status is None:
            return self._answers.why_over
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"it ended ({ended}); its last words: {self.last_words()}"

    def _send(self, question: Mapping[str, object], deadline: float) -> None:
        try:
            line = json.dumps(question, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # a key with half a surrogate pair: JSON can escape it, UTF-8 cannot encode it
            line = json.dumps(question).encode()
        unsent = memoryview(line + b"\n")
        while unsent:
            try:
                unsent = unsent[self._socket.send(unsent) :]
            except BlockingIOError:
                if not _is_ready(self._socket, select.POLLOUT, deadline):
                    why = f"the agent {self.name} no longer reads its standard input, so it may hang; its last words"
                    raise NoAnswerError(f"{why}: {self.last_words()}") from None
            except OSError:
                is_whole = len(unsent) == len(line) + 1
                raise (NotSentError if is_whole else AgentGoneError)(self.how_it_ended()) from None

    def _answer(self, number: int, timeout_s: float) -> Mapping[str, Any]:
        answer = self._answers.take(number, timeout_s, lambda: self.is_running)
        if answer is None:
            if self._answers.is_over or not self.is_running:
                raise AgentGoneError(self.how_it_ended())
            raise NoAnswerError(f"the agent gave no answer within {timeout_s:.3g} s")
        if answer.get("not_offered") is True:
            raise NotOfferedError("not offered")
        if "error" in answer:
            found: object = answer["error"]
            raise AgentError(on_a_line(found if isinstance(found, str) else f"error must be text, not {found!r}"))
        return answer


class EndWatch:
    """When the suite ends, ends a group of processes that do not notice it.

    An agent ends by itself when its standard input ends, but a stopped agent does not notice that, nor does a compiler.
    So a shell runs beside them and reads a pipe from the suite: a line in the pipe means that the watch is over, and
    the end of the pipe means that the suite has ended.
    """

    def __init__(self, group: int) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", f"read line || kill -s KILL -- -{group}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """End the watch: the watched processes continue, or have ended."""
        with suppress(OSError):
            self._shell.communicate(b"\n")


class _Log:
    """Reads an agent's standard error in a separate thread, and keeps its end: an agent may write without end."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._end = b""
        self._thread = threading.Thread(target=self._read, name="log of an agent", daemon=True)
        self._thread.start()

    def end(self, *, is_whole: bool) -> bytes:
        """Return the last bytes; if no more are written, wait a while until all are read."""
        if is_whole:
            self._thread.join(_LOOK_S)
        return self._end

    def close(self) -> None:
        """Stop reading; what a process holds open that was not found is read until it ends."""
        self._thread.join(_LOOK_S)
        if not self._thread.is_alive():
            self._output.close()

    def _read(self) -> None:
        while chunk := os.read(self._output.fileno(), _CHUNK_BYTES):
            self._end = (self._end + chunk)[-_CHUNK_BYTES:]


class _Answers:
    """Reads an agent's output in a separate thread, and keeps each answer for which a caller waits."""

    def __init__(self, connection: socket.socket, noise: list[str]) -> None:
        self._socket = connection
        self._socket.setblocking(False)
        self._noise = noise
        self._arrived = threading.Condition()
        self._expected = {_HELLO}
        self._answers: dict[int, Mapping[str, Any]] = {}
        self.is_over = False
        self.why_over = "it closed its standard output"
        self._thread = threading.Thread(target=self._read, name="answers of an agent", daemon=True)
        self._thread.start()

    def expect(self, number: int) -> None:
        """Keep the answer with this number once it arrives."""
        with self._arrived:
            self._expected.add(number)

    def take(self, number: int, timeout_s: float, is_running: Callable[[], bool]) -> Mapping[str, Any] | None:
        """Return the answer with this number; None if it does not arrive in time, or the agent had ended a look before.

        A process that the agent started may keep the connection open, so its end is not always the end of the output.
        """
        end = monotonic() + timeout_s
        with self._arrived:
            ran = True
            while ran and number not in self._answers and not self.is_over and (left := end - monotonic()) > 0:
                ran = is_running()
                self._arrived.wait_for(lambda: number in self._answers or self.is_over, min(left, _LOOK_S))
            self._expected.discard(number)
            return self._answers.pop(number, None)

    def close(self) -> None:
        """Stop reading."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _read(self) -> None:
        unread: list[bytes] = []
        size = 0
        while size <= LINE_BYTES_MAX and (chunk := self._chunk()):
            first, *more = chunk.split(b"\n")
            unread.append(first)
            size += len(first)
            for piece in more:  # each of them begins a line, and so ends the one before
                self._take_in(b"".join(unread))
                unread, size = [piece], len(piece)
        with self._arrived:
            if size > LINE_BYTES_MAX:
                self.why_over = f"it wrote a line of more than {LINE_BYTES_MAX:,} bytes on standard output"
            self.is_over = True
            self._arrived.notify_all()

    def _chunk(self) -> bytes:
        """Return the next bytes of the output; no bytes at its end."""
        try:
            _is_ready(self._socket, select.POLLIN, None)
            return self._socket.recv(_CHUNK_BYTES)
        except OSError:
            return b""

    def _take_in(self, line: bytes) -> None:
        message = _object_of(line)
        if message is None:
            if line.strip() and len(self._noise) < NOISE_LINES_MAX:
                self._noise.append(line.decode(errors="replace").strip())
            return
        number = cast("int", message["id"])
        with self._arrived:
            if number in self._expected:
                self._answers[number] = message
                self._arrived.notify_all()


def _object_of(line: bytes) -> Mapping[str, Any] | None:
    """Return the object on a line if it has a number, else None."""
    try:
        found: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    message = cast("dict[str, Any]", found)
    return message if type(message.get("id")) is int else None


def _is_ready(connection: socket.socket, event: int, deadline: float | None) -> bool:
    """Wait until bytes can be read or sent; return whether they can before the deadline."""
    waiting = select.poll()
    waiting.register(connection, event)
    left_ms = None if deadline is None else max(0.0, (deadline - monotonic()) * 1000)
    return bool(waiting.poll(left_ms))


UNREACHABLE = (AgentGoneError, NoAnswerError)
"""The errors that mean that no answer came."""
FAILED = (*UNREACHABLE, AgentError, NotOfferedError)
"""The errors that mean that no answer came, or no answer that can be used."""
HOST = "127.0.0.1"
"""The address at which members listen; no other machine can reach it."""
MARK = "GRIDPROOF_FLEET"
"""The environment variable that names the folder of the fleet."""
AGENT = "GRIDPROOF_AGENT"
"""The environment variable that is different for each agent: what the agent starts inherits it."""
FOLDER = "GRIDPROOF_FOLDER"
"""The environment variable with the path of a folder for agents of this run; the folder is removed with the run."""
_ROOF = "gridproof-live"
PROCESSES = Path("/proc")
"""The folder with a folder for each process (Linux)."""


NOT_SENT = "it was not sent: "
"""The beginning of an outcome's detail if no agent got the question, so that the caller may ask another agent."""


def without_answer(error: Exception) -> tuple[Outcome, str]:
    """Return the outcome of a call that got no answer: refused if the call was never sent, else unknown."""
    is_not_sent = isinstance(error, NotSentError)
    return (Outcome.REFUSED, f"{NOT_SENT}{error}") if is_not_sent else (Outcome.UNKNOWN, str(error))


class Fleet:
    """The agent processes of one run, with a folder that is named after the driver's process id."""

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

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            process.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def processes(self) -> tuple[AgentProcess, ...]:
        """All agents started so far, running or not, in order."""
        return tuple(self._processes)

    def start(self, name: str, launch: Launch) -> AgentProcess:
        """Start an agent; AdapterError if there is no such program."""
        if self._folder is None:
            raise AdapterError(f"cannot start {name}: the fleet is not open; write `with Fleet() as fleet:` first")
        own = {AGENT: f"{self._folder.name}/{len(self._processes)}"}
        try:
            process = AgentProcess(name, launch, self._folder, {**self._environment, **own})
        except OSError as error:
            raise AdapterError(
                f"cannot start {name}: {launch.command[0]}: {error.strerror}; install it, or give its full path"
            ) from None
        self._processes.append(process)
        return process


def roof() -> Path:
    """Return the folder that has a folder for each fleet, named after the process id of the fleet's driver."""
    return Path(tempfile.gettempdir()) / _ROOF


def end_strays() -> int:
    """End the processes whose driver is gone, remove their folders, and return the number of these processes.

    A process is ended only if its environment has the name of a fleet's folder, since process ids are reused.
    """
    gone = [folder for folder in roof().glob("*-*") if not is_running(int(folder.name.split("-")[0]))]
    marks = {f"{MARK}={folder.name}".encode() for folder in gone}
    ended = _signal_all(_marked(marks), signal.SIGKILL)
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return ended


def _marked(marks: Set[bytes]) -> Iterator[int]:
    """Yield the processes of which the environment has one of these variables with its value; none without /proc."""
    for process in PROCESSES.glob("[0-9]*") if marks else ():
        with suppress(OSError):  # another user's, or gone meanwhile
            if not marks.isdisjoint(_environment(process).split(b"\0")):
                yield int(process.name)


def _environment(process: Path) -> bytes:
    """Return the environment of a process; one that is about to run a program shows none for a moment."""
    end = monotonic() + _LOOK_S
    while not (found := (process / "environ").read_bytes()) and monotonic() < end:
        (process / "exe").readlink()  # a kernel thread and a zombie have no program: OSError
        if (process / "cmdline").read_bytes():  # it comes before the environment
            return (process / "environ").read_bytes()
        sleep(0.001)
    return found


def _signal_all(processes: Iterable[int], number: int) -> int:
    """Send a signal to processes, and return to how many of them it was sent."""
    sent = 0
    for process in processes:
        with suppress(OSError):  # gone meanwhile
            os.kill(process, number)
            sent += 1
    return sent
