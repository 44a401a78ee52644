"""A command in a child of its own, so that whoever ends it is noticed.

Adapters, specifications and tables are code of others: it may end the process with any status, at once or when Python
does. So what the child says last is its verdict, through a pipe, and the status of a command is that one, whatever the
child ends with. Without one there is no verdict: one line, status 3, and what was half written goes. Choice: a fork
before anything else is imported takes two milliseconds, whatever the command; the child has the terminal, the group
and the arguments of its parent, which does nothing but wait and hand signals on.

What CI systems end a command with, SIGTERM and SIGHUP, is Ctrl-C to it. Where there is no fork (Windows) there is no
child, and who ends the process there ends it.
"""

import codecs
import io
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn, TypeVar, cast

from gridproof_model.user_error import NO_ROOM, UserError, printable
from gridproof_model.whole_file import Notice, discard, listen
from gridproof_properties.exit_status import ExitStatus

T = TypeVar("T")
ENDING = tuple(signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
TWICE_S = 1.0
"""A terminal, or who ends a whole group, reaches parent and child: what the parent hands on then is no second word."""
HEARING_S = 7.0
"""How long a child may take to hear what ends it: somebody's C hears nothing. GitHub kills after 7.5 seconds."""
LEAVING_S = 30.0
"""How long a child may take to end once its verdict is known, or its parent is gone."""
LOOK_EVERY_S = 1.0
"""A process that the child has left behind may hold the pipe open; then nothing else says that the child has ended."""
ENDED_LOOK_EVERY_S = 0.005
AGAIN_S = 0.01
"""After how long a signal that Python has passed over comes again."""
LET_THROUGH_LOOK_S = 0.02
PR_SET_PDEATHSIG = 1
"""Of `prctl`: by which signal a process ends with its parent."""
SAID_ROOM = 4_096
VERDICT, INSTEAD, HEARD = "v", "i", "h"
OURS = {"gridproof", *(f"gridproof_{wing}" for wing in ("model", "implementation", "properties", "reports")), "suite"}
LIBRARIES = ("<", os.path.dirname(os.__file__))


class EndedError(UserError):
    """Something ended a process before its work was done."""


def run_in_child(work: Callable[[], int]) -> int:
    """Run a command in a child and return its exit status: 3, after one line, where it ended without any."""
    _make_outputs_forgiving()
    if not hasattr(os, "fork"):
        return work()
    heard = [one for one in ENDING if signal.getsignal(one) is not signal.SIG_IGN]  # nohup, and `&` of a script
    wakes, woken = os.pipe()
    os.set_blocking(woken, False)
    for one in heard:
        signal.signal(one, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    child = _forked()
    if isinstance(child, _Parent):
        try:
            return int(child.wait(wakes))
        except EndedError as error:
            with suppress(OSError, ValueError, AttributeError):  # nobody listens
                print(printable(f"gridproof: {error}"), file=sys.stderr, flush=True)
            return ExitStatus.UNKNOWN
        except KeyboardInterrupt:
            print("gridproof: interrupted; nothing is known", file=sys.stderr, flush=True)
            return ExitStatus.INTERRUPTED
    signal.set_wakeup_fd(-1)
    os.close(wakes)
    os.close(woken)
    _as_ctrl_c(heard)
    return child.run(work)


def apart(work: Callable[[], T]) -> T:
    """Return what some work returns, done in a fork of this process; EndedError where that ends before.

    What is returned is pickled. What Ctrl-C means to the fork is for it to say.
    """
    import pickle  # now: a command gives back no more than a number

    if not hasattr(os, "fork"):
        return work()
    child = _forked()
    if isinstance(child, _Parent):
        return cast(T, pickle.loads(bytes.fromhex(child.wait())))
    child.run(lambda: pickle.dumps(work()).hex())
    os._exit(0)


def go_on_in_child(complain: Callable[[str], None]) -> Callable[[int | None, str], None]:
    """Go on in a fork; return how it says its status, None while that is not known, and what it has begun.

    Its parent does nothing but wait and hand signals on. It ends as the fork does; where that ends with 0, with the
    status that was said, and with 3 where none was, after a line. For a program of others (pytest): what Ctrl-C means
    to the fork, how long that takes and which threads it starts is its own matter. What is said stands in memory that
    both have, so that no descriptor can be written to by others. Choice: who kills the parent kills the fork, by a
    means of Linux, and only Linux says whether a signal comes of a terminal, which sends it to both; elsewhere, and
    beside threads (a debugger's), which no fork has, this process goes on, and its end is not noticed.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return lambda status, begun: None
    import ctypes  # now, as mmap: no command needs it
    import mmap

    said = mmap.mmap(-1, SAID_ROOM)
    watched = signal.valid_signals() - {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCONT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    process = _fork()
    if process:
        status, (known, _, begun) = _ended(process, watched), said[:].rstrip(b"\0").decode().partition("\n")
        if status == 0 and not known:
            known = str(ExitStatus.UNKNOWN)
            complain(begun)
        os._exit(status or int(known))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    ours = os.getpid()

    def say(status: int | None, begun: str) -> None:
        if os.getpid() == ours:  # a fork of the fork may come back into our code
            words = f"{'' if status is None else status & 0xFF}\n{ascii(begun)[1:-1]}"
            said[:] = words.encode()[:SAID_ROOM].ljust(SAID_ROOM, b"\0")

    return say


def _ended(process: int, watched: set[signal.Signals]) -> int:
    """Return how a fork has ended; whom a signal ends, by that."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ended, raw = 0, 0
    while not ended:
        heard = signal.sigwaitinfo(watched)
        if heard.si_signo == signal.SIGCHLD:
            ended, raw = os.waitpid(process, os.WNOHANG)
        elif heard.si_code <= 0:  # of a process: SI_USER and its like
            os.kill(process, heard.si_signo)
    status = os.waitstatus_to_exitcode(raw)
    if status < 0:
        with suppress(OSError):  # SIGKILL
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
        os.kill(os.getpid(), -status)
    return status


def run_instead(words: list[str]) -> NoReturn:
    """Become another program, as whoever was started; the child ends, and its parent becomes it."""
    sys.stdout.flush()
    if _child is None:
        os.execvp(words[0], words)
    for word in words:
        _child.say(INSTEAD, word)
    os._exit(0)


def _forked() -> "_Child | _Parent":
    """Fork; the child ends with its parent, whatever ends that."""
    global _child
    news, output = os.pipe()
    life, held = os.pipe()
    token = os.urandom(8).hex()  # code of others that writes to every open descriptor says nothing by it
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    process = _fork()
    if process:
        os.close(output)
        os.close(life)
        return _Parent(process, token, news, held)
    os.close(news)
    os.close(held)
    threading.Thread(target=_follow_the_parent, args=(life,), daemon=True).start()
    _child = _Child(output, token, os.getpid())
    return _child


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: who forks calls none of them
        return os.fork()


class _Child:
    """The process that does the work."""

    def __init__(self, output: int, token: str, process: int) -> None:
        self._output = output
        self._token = token
        self._process = process

    def run(self, work: Callable[[], T]) -> T | int:
        """Do the work, and say what came of it."""
        listen(self.say)
        found: T | int
        try:
            found = work()
        except SystemExit as left:  # of the parser: the help was asked for, or an argument is wrong
            found = left.code if isinstance(left.code, int) else ExitStatus.HOLDS
        except BaseException:  # a defect of gridproof is no verdict on anything
            import traceback  # now: it is seldom needed

            traceback.print_exc()
            found = ExitStatus.UNKNOWN
        for one in ENDING:
            signal.signal(one, signal.SIG_IGN)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        self.say(VERDICT, str(found))
        return found

    def say(self, what: str, whom: str) -> None:
        """Say something to the parent."""
        if os.getpid() != self._process:  # a fork of somebody's, that came back into our code
            return
        data = os.fsencode(f"{self._token}{what}{whom}\0")
        with suppress(OSError):  # who closed everything is without a verdict
            while data:
                data = data[os.write(self._output, data) :]


class _Parent:
    """The process that waits for it."""

    def __init__(self, child: int, token: str, news: int, held: int) -> None:
        self._child = child
        self._token = token
        self._news = news
        self._is_open = True
        self._held = held
        self._deaf_s: float | None = None
        """Since when it has not heard a signal that ends it."""
        self._is_killed = False
        self._cut = b""
        """The beginning of a message that is not all here yet."""
        self._begun: set[str] = set()
        self._said: dict[str, list[str]] = {}
        """The other messages, by what they are about."""

    def wait(self, wakes: int | None = None) -> str:
        """Return what the child said last, once it has ended; signals, whose numbers come by `wakes`, are handed on.

        EndedError when it did not say anything, KeyboardInterrupt where it heard no signal, either.
        """
        ended: int | None = None
        try:
            while (ended := self._looked(wakes)) is None:
                pass
        finally:
            if ended is None:  # somebody interrupts this process
                self._end()
            os.close(self._news)
            os.close(self._held)
        if words := self._said.get(INSTEAD):
            os.execvp(words[0], words)
        if verdict := self._said.get(VERDICT):
            return verdict[-1]
        assert ended is not None, "it is waited for until then"
        self._take_away()
        if self._is_killed:
            raise KeyboardInterrupt
        own = ", ".join(dict.fromkeys(self._said.get(Notice.OWN, [])))
        whose = f"the code of {own} ended the process" if own else "the process ended"
        how = f"with status {ended}" if ended >= 0 else f"by {_signal_name(-ended)}"
        raise EndedError(f"{whose} {how} before a verdict, so nothing is known")

    def _looked(self, wakes: int | None) -> int | None:
        """Read what there is to read; return how the child has ended, if it has."""
        sources = ([self._news] if self._is_open else []) + ([] if wakes is None else [wakes])
        is_known = VERDICT in self._said
        patience_s = LEAVING_S if is_known else LOOK_EVERY_S
        ready, _, _ = select.select(sources, [], [], patience_s if self._is_open else ENDED_LOOK_EVERY_S)
        if is_known and self._is_open and not ready:  # something of theirs does not end
            os.kill(self._child, signal.SIGKILL)
        if wakes in ready and wakes is not None:
            for number in os.read(wakes, 512):
                os.kill(self._child, number)
                os.kill(self._child, signal.SIGCONT)  # who has stopped hears nothing
                self._deaf_s = self._deaf_s or time.monotonic()
        if self._deaf_s is not None and time.monotonic() - self._deaf_s > HEARING_S:
            self._is_killed = True
            os.kill(self._child, signal.SIGKILL)
        process, raw = os.waitpid(self._child, os.WNOHANG)
        while self._is_open and select.select([self._news], [], [], 0)[0]:
            self._read()
        return os.waitstatus_to_exitcode(raw) if process else None

    def _read(self) -> None:
        data = os.read(self._news, 65_536)
        self._is_open = bool(data)
        *whole, self._cut = (self._cut + data).split(b"\0")
        for said in map(os.fsdecode, whole):
            if not said.startswith(self._token):
                continue
            message = said.removeprefix(self._token)
            what, whom = message[0], message[1:]
            match what:
                case Notice.BEGUN:
                    self._begun.add(whom)
                case Notice.ENDED:
                    self._begun.discard(whom)
                case _ if what == HEARD:
                    self._deaf_s = None
                case _:
                    self._said.setdefault(what, []).append(whom)

    def _end(self) -> None:
        """End the child; Ctrl-C has reached it as well."""
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGTERM)
        with suppress(ChildProcessError):
            os.waitpid(self._child, 0)
        self._take_away()

    def _take_away(self) -> None:
        for begun in self._begun:
            discard(Path(begun))
        for made in reversed(self._said.get(Notice.MADE, [])):
            with suppress(OSError):  # something was written: it stays, and so does what holds it
                Path(made).rmdir()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _as_ctrl_c(heard: Sequence[signal.Signals]) -> None:
    """Have each signal that ends a command do what Ctrl-C does, once where it comes twice at a time."""

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        global _heard_s
        _say_heard(_theirs(frame))
        if time.monotonic() - _heard_s >= TWICE_S:
            _heard_s = time.monotonic()
            raise KeyboardInterrupt

    def hand_on(_signal: int, frame: FrameType | None) -> None:
        _say_heard(_theirs(frame))
        signal.raise_signal(signal.SIGINT)  # whoever listens to Ctrl-C just now

    sys.unraisablehook = _passed_over
    os.register_at_fork(after_in_child=_end_where_they_return)
    for one in heard:
        signal.signal(one, hand_on if one is not signal.SIGINT and signal.SIGINT in heard else interrupt)


def _say_heard(theirs: FrameType | None) -> None:
    """Say that a signal is heard: once code of others has let it through, which may swallow whatever is raised."""

    def wait() -> None:
        main = threading.main_thread().ident or 0
        while theirs is not None and theirs in _stack(sys._current_frames().get(main)):
            time.sleep(LET_THROUGH_LOOK_S)
        if _child is not None:
            _child.say(HEARD, "")

    if theirs is None:
        wait()
    else:
        threading.Thread(target=wait, daemon=True).start()


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames of a stack above a command's own, innermost first."""
    while frame is not None and frame.f_code is not _Child.run.__code__:
        yield frame
        frame = frame.f_back


def _theirs(frame: FrameType | None) -> FrameType | None:
    """Return where our code has called that of a user's own, if that is what runs; libraries are not meant."""

    def is_own(one: FrameType) -> bool:
        file, name = one.f_code.co_filename, str(one.f_globals.get("__name__"))
        return not (file.startswith(LIBRARIES) or "-packages" in file or name.partition(".")[0] in OURS)

    return next((one for one in reversed([*_stack(frame)]) if is_own(one)), None)


def _end_where_they_return() -> None:
    """End a process that code of others has forked where it comes back into ours: the command goes on in one."""
    theirs = _theirs(sys._getframe())
    if theirs is None or threading.current_thread() is not threading.main_thread():
        return

    def end(frame: FrameType, event: str, _: object) -> None:
        if frame is theirs and event == "return":
            os._exit(0)

    sys.setprofile(end)


def _passed_over(error: "sys.UnraisableHookArgs") -> None:
    """Have an interruption come again that fell into a destructor, or a callback: Python passes it over.

    An exit that is asked for there ends nothing, and Python's lines about it are no news to whoever reads a verdict.
    """
    global _heard_s
    if error.exc_type is KeyboardInterrupt:
        _heard_s = -TWICE_S
        threading.Timer(AGAIN_S, os.kill, [os.getpid(), signal.SIGTERM]).start()
    elif error.exc_type is not SystemExit:
        sys.__unraisablehook__(error)


def _follow_the_parent(life: int) -> None:
    """End with the parent, when somebody kills it."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LEAVING_S)
    os._exit(ExitStatus.UNKNOWN)


def _make_outputs_forgiving() -> None:
    """Have what a terminal's encoding lacks written out, and a reader who left (head, less) change nothing.

    The status of a command is that of what was found, whoever reads what is said of it, and whatever code of others
    does to standard output: ours is a descriptor of its own.
    """
    codecs.register_error("escaped", _escape)
    for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
        if isinstance(stream, io.TextIOWrapper):
            stream.flush()
            with suppress(OSError):  # there is none
                raw = _Forgiving(os.dup(stream.fileno()), "wb")
                raw.says_full = stream is sys.stdout
                buffered = io.BufferedWriter(raw)
                by_line = stream.line_buffering or stream.write_through
                forgiving = _Open(buffered, stream.encoding, "escaped", line_buffering=by_line)
                setattr(sys, name, forgiving)
                setattr(sys, f"__{name}__", forgiving)


class _Open(io.TextIOWrapper):
    """An output that stays open, whoever closes it."""

    def close(self) -> None:
        with suppress(OSError):
            self.flush()


class _Forgiving(io.FileIO):
    """An output whose reader may leave."""

    says_full = True
    """Once: what is in a buffer by then comes again."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            if error.errno in NO_ROOM and self.says_full:
                self.says_full = False
                raise
            return memoryview(data).nbytes  # type: ignore[arg-type]


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return letters that an encoding lacks as JSON writes them, which is JSON in JSON."""
    assert isinstance(error, UnicodeEncodeError)
    units = "".join(error.object[error.start : error.end]).encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)), error.end


_child: _Child | None = None
_heard_s = -TWICE_S
"""When a signal was last heard."""
