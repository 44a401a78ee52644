"""The Python side of the agent protocol.

An agent has one function for each verb; `serve` speaks the lines of `docs/adapter-protocol.md` for it. Each question
has a thread of its own, so that a call that waits for a dead member does not delay others. The process ends at once
when its standard input ends: a member never outlives the suite. Output that libraries print goes to standard error.
This file also has the code that every agent would otherwise repeat: it waits until nothing is missing, provides a
folder and a port for each member, runs a server program beside the agent, and names the roles of copies.

This file needs only the standard library, so an agent can be copied to machines without gridproof.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import suppress
from errno import EADDRINUSE
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Any

PROTOCOL = 1
Verb = Callable[..., Mapping[str, Any]]
"""Takes the fields of a question by name, and returns the fields of the answer."""
RESERVED_MAX = 64
_RESERVED = deque[int]()
"""The file descriptors of the latest port reservations."""
CALLS = ("put", "put_many", "remove", "operate", "get")
"""The verbs whose answers have an outcome."""


class RefusedError(Exception):
    """Raised if a call was certainly not executed; a verb of `CALLS` then answers that the call was refused."""


def serve(system: str, version: str, *functions: Verb, **traits: Any) -> None:
    """Send the hello, then answer questions until standard input ends; `traits` are further fields of the hello.

    Each verb is answered by the function of its name. If a function raises an error, the answer is the text of the
    error; for a read or write this means an unknown outcome, unless the error is a `RefusedError`. Verbs without a
    function are not offered.
    """
    verbs = {function.__name__: function for function in functions}
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    one_at_a_time = threading.Lock()

    def say(message: Mapping[str, Any]) -> None:
        text = json.dumps(message) + "\n"
        with one_at_a_time:
            lines.write(text)
            lines.flush()

    def answer(question: dict[str, Any]) -> None:
        number, name = question.pop("id"), question.pop("do")
        try:
            say({"id": number, **_answer(verbs, name, question)})
        except (TypeError, ValueError) as error:  # it returned None, or a value that JSON does not have
            say({"id": number, "error": f"{name} must return the fields of an answer, as JSON: {_words(error)}"})

    hello = {"protocol": PROTOCOL, "system": system, "version": version, "offers": [*verbs], **traits}
    say({"id": 0, **hello})
    try:
        for line in sys.stdin.buffer:  # bytes, as JSON is UTF-8 in every locale
            threading.Thread(target=answer, args=[json.loads(line)], daemon=True).start()
    finally:
        # If the suite dies before it has read all answers, the connection is reset, and reading stdin raises an error.
        # Without os._exit, threads of the system under test would keep the process alive.
        os._exit(0)


def ok(**fields: Any) -> Mapping[str, Any]:
    """Return the answer for a read or write that was done."""
    return {"outcome": "ok", **fields}


def refused(why: object) -> Mapping[str, Any]:
    """Return the answer for a read or write that was certainly not done."""
    return {"outcome": "refused", "why": _words(why)}


def unknown(why: object) -> Mapping[str, Any]:
    """Return the answer for a read or write that may have been done."""
    return {"outcome": "unknown", "why": _words(why)}


def role(row: Sequence[str | None], member: str, backup: str = "backup") -> str:
    """Return a member's role in a row: "primary", the system's word for a backup, or "left over" for a member that is
    not in it."""
    if member not in row:
        return "left over"
    return "primary" if row[0] == member else backup


def copies(
    held: Mapping[int, Mapping[str, str]],
    table: Mapping[str, Any],
    partitions: Collection[int] | None = None,
    backup: str = "backup",
    unknown: Collection[int] = (),
) -> Mapping[str, Any]:
    """Return the answer of `replicas`, given the entries that the member holds and its own answer to `table`.

    The member has a copy, perhaps an empty one, of each partition whose row names it, and of each partition whose
    entries it has. The member cannot say what it holds of the `unknown` partitions; while it shows no table, it cannot
    say what it holds of any partition.
    """
    rows, member = table["rows"], table["member"]
    if rows is None:  # there is a partition 0 in any grid
        return {"copies": [], "unknown": sorted(held or {0: {}} if partitions is None else partitions)}
    asked = range(len(rows)) if partitions is None else partitions
    shown = [
        {"partition": number, "role": role(rows[number], member, backup), "entries": held.get(number, {})}
        for number in asked
        if number not in unknown and (number in held or member in rows[number])
    ]
    return {"copies": shown, "unknown": sorted(set(unknown).intersection(asked))}


def until(missing: Callable[[], object], within_s: float = 30.0) -> None:
    """Call `missing` until it returns None; raise TimeoutError with what the last call still missed.

    A call that raises an error also counts as missing something: a member that was just started does not answer yet.
    """
    end = monotonic() + within_s
    while (why := _missing(missing)) is not None:
        if monotonic() > end:
            raise TimeoutError(why)
        sleep(0.02)


def run_folder() -> Path:
    """Return the folder of this run, the same for all its agents."""
    return Path(os.environ["GRIDPROOF_FOLDER"])


def own_folder(name: str) -> tuple[Path, bool]:
    """Return the member's folder in the folder of the run, and whether it existed, as it does at a second start."""
    folder = run_folder() / name
    was_here = folder.exists()
    folder.mkdir(exist_ok=True)
    return folder, was_here


def own_port(folder: Path, host: str) -> int:
    """Return a second port for the member with this folder: a free port at its first start, later the same port."""
    file = folder / "second-port"
    if not file.exists():
        file.write_text(str(free_port(host)))
    return int(file.read_text())


def free_port(host: str) -> int:
    """Return a port on which no process of this machine listens now, and which no other agent was given recently."""
    while True:
        with socket.socket() as probe:
            probe.bind((host, 0))
            port = int(probe.getsockname()[1])
        if reserve(host, port):
            return port


def reserve(host: str, port: int) -> bool:
    """Reserve a port for this process, and return whether no other process has reserved it.

    The operating system may give one port twice before a server listens there, which can happen when six members start
    at once. The reservation is the name of a socket without a file (Linux only); it ends with this process.
    """
    with socket.socket(socket.AF_UNIX) as mark:
        try:
            mark.bind(f"\0gridproof port {host}:{port}")
        except OSError as error:
            return error.errno != EADDRINUSE
        _RESERVED.append(mark.detach())
    if len(_RESERVED) > RESERVED_MAX:
        os.close(_RESERVED.popleft())
    return True


def running(package: str, functions: Container[str]) -> str | None:
    """Return one of the named functions of a library that some thread is running right now, or None."""
    for top in sys._current_frames().values():
        frame: FrameType | None = top
        while frame is not None:
            if frame.f_code.co_name in functions and package in frame.f_code.co_filename:
                return frame.f_code.co_name
            frame = frame.f_back
    return None


def run_beside(command: Sequence[str]) -> threading.Event:
    """Run the member as a process beside the agent; when one of the two processes ends, so does the other.

    Before its member leaves, an agent sets the returned event: the agent then outlives the member, and can still
    answer.
    """
    libc, set_death_signal = ctypes.CDLL(None), 1
    started, leaves = threading.Event(), threading.Event()

    def die_with_agent() -> None:
        with suppress(AttributeError):  # Linux only
            libc.prctl(set_death_signal, signal.SIGKILL)

    def wait() -> None:
        # The kernel kills the member if the thread that started the member ends, so this thread outlives the member.
        try:
            member = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_agent)
        except OSError as error:
            print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr, flush=True)
            os._exit(1)
        started.set()
        status = member.wait()
        if leaves.is_set():
            return
        print(f"{command[0]} ended with status {status}", file=sys.stderr, flush=True)
        os._exit(0 if status == 0 else 1)

    threading.Thread(target=wait, daemon=True).start()
    started.wait()
    return leaves


def _answer(verbs: Mapping[str, Verb], name: str, fields: dict[str, Any]) -> Mapping[str, Any]:
    if name not in verbs:
        return {"not_offered": True}
    try:
        return verbs[name](**fields)
    except Exception as error:  # the fleet decides what an error means
        is_refused = isinstance(error, RefusedError) and name in CALLS
        return refused(str(error)) if is_refused else {"error": _words(error)}


def _missing(look: Callable[[], object]) -> object:
    try:
        return look()
    except Exception as error:
        return _words(error)


def _words(why: object) -> str:
    return f"{type(why).__name__}: {why}" if isinstance(why, BaseException) else str(why)
