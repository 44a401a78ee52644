"""Runs a command in a child process, so that any end of the command is noticed.

Adapters, specifications and tables are code of users, which may end the process with any status, at once or when Python
exits. Therefore the child sends its verdict as its last message through a pipe; the status of the command is the one in
that message, however the child ends. Without this last message there is no verdict: one line is printed, the status is
3, and half-written files are removed. Choice: a fork before anything else is imported takes two milliseconds, whatever
the command; the child has the terminal, the process group and the arguments of its parent, which only waits and passes
signals on.

SIGTERM and SIGHUP, with which CI systems end a command, have the same effect on the child as Ctrl-C. Where there is no
fork (on Windows), the work is done in the process itself: if the process is ended, so is the work.
"""

import codecs
import gc
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
"""A signal from a terminal, or to a whole group, reaches parent and child: if it comes again within this time, it is a
copy."""
HEARING_S = 7.0
"""How long a child may take to notice a signal that should end it: code in C notices none. GitHub kills a process after
7.5 s."""
LEAVING_S = 30.0
"""How long a child may take to end after its verdict is known, or after its parent is gone."""
LOOK_EVERY_S = 1.0
"""How often to check whether the child has ended: a process that the child left behind may hold the pipe open, so that
the pipe does not show the end."""
ENDED_LOOK_EVERY_S = 0.005
AGAIN_S = 0.01
"""After how long a signal that Python dropped is sent again."""
LET_THROUGH_LOOK_S = 0.02
PR_SET_PDEATHSIG = 1
"""The option of `prctl` that sets the signal by which a process is ended when its parent ends."""
SAID_ROOM = 4_096
GARBAGE_AFTER = 10_000
"""After how many new objects garbage is collected; with Python's own number, 700, this takes a twentieth of a check."""
VERDICT, INSTEAD, HEARD = "v", "i", "h"
OURS = {"gridproof", *(f"gridproof_{wing}" for wing in ("model", "implementation", "properties", "reports")), "suite"}
LIBRARIES = ("<", os.path.dirname(os.__file__))


class EndedError(UserError):
    """Raised if something ended a process before the work in it was done."""


def run_in_child(work: Callable[[], int]) -> int:
    """Run a command in a child and return its exit status; if it ended without one, print one line and return 3."""
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
            with suppress(OSError, ValueError, AttributeError):  # the output may be closed
                print(printable(f"gridproof: {error}"), file=sys.stderr, flush=True)
            return ExitStatus.UNKNOWN
        except KeyboardInterrupt:
            print("gridproof: interrupted; nothing is known", file=sys.stderr, flush=True)
            return ExitStatus.INTERRUPTED
    signal.set_wakeup_fd(-1)
    os.close(wakes)
    os.close(woken)
    _as_ctrl_c(heard)
    gc.set_threshold(GARBAGE_AFTER)
    found = child.run(work)
    gc.freeze()  # else Python, as it ends, looks for garbage among all that was imported
    return found


def apart(work: Callable[[], T]) -> T:
    """Return the result of some work that is done in a fork of this process; raise EndedError if the fork ends before.

    The result is pickled. The fork itself handles Ctrl-C.
    """
    import pickle  # imported here: a command returns no more than a number

    if not hasattr(os, "fork"):
        return work()
    child = _forked()
    if isinstance(child, _Parent):
        return cast(T, pickle.loads(bytes.fromhex(child.wait())))
    child.run(lambda: pickle.dumps(work()).hex())
    os._exit(0)


def go_on_in_child(complain: Callable[[str], None]) -> Callable[[int | None, str], None]:
    """Go on in a fork; return a function by which the fork reports its status (None while unknown) and its work so far.

    The parent of the fork only waits and passes signals on. The parent ends as the fork does; if the fork ends with 0,
    the parent ends with the status that was reported, or, if none was reported, prints one line and ends with 3. This
    function is for other programs (pytest): the fork itself decides what Ctrl-C does, how long that takes, and which
    threads it starts. Reports are in memory that both processes share, so that there is no descriptor to which user
    code could write. Choice: if the parent is killed, a mechanism of Linux kills the fork, too; and only Linux shows
    whether a signal comes from a terminal, which sends it to both processes. On other systems, and in a process with
    several threads (for instance under a debugger), which a fork would not copy, this process itself goes on, and its
    end is not noticed.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return lambda status, begun: None
    import ctypes  # imported here, as mmap is: no command needs it
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
        if os.getpid() == ours:  # a fork of the fork may come back into this code
            words = f"{'' if status is None else status & 0xFF}\n{ascii(begun)[1:-1]}"
            said[:] = words.encode()[:SAID_ROOM].ljust(SAID_ROOM, b"\0")

    return say


def _ended(process: int, watched: set[signal.Signals]) -> int:
    """Return the status with which a fork ended; if a signal ended the fork, end this process by the same signal."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ended, raw = 0, 0
    while not ended:
        heard = signal.sigwaitinfo(watched)
        if heard.si_signo == signal.SIGCHLD:
            ended, raw = os.waitpid(process, os.WNOHANG)
        elif heard.si_code <= 0:  # sent by a process: SI_USER and its like
            os.kill(process, heard.si_signo)
    status = os.waitstatus_to_exitcode(raw)
    if status < 0:
        with suppress(OSError):  # SIGKILL
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
        os.kill(os.getpid(), -status)
    return status


def run_instead(words: list[str]) -> NoReturn:
    """Replace this command by another program: the child ends, and its parent, the process started first, executes
    it."""
    sys.stdout.flush()
    if _child is None:
        os.execvp(words[0], words)
    for word in words:
        _child.say(INSTEAD, word)
    os._exit(0)


def _forked() -> "_Child | _Parent":
    """Fork; the child ends together with its parent, whatever ends the parent."""
    global _child
    news, output = os.pipe()
    life, held = os.pipe()
    token = os.urandom(8).hex()  # so that user code that writes to every open descriptor sends no message
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
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads: the fork uses none of them
        return os.fork()


class _Child:
    """The process that does the work."""

    def __init__(self, output: int, token: str, process: int) -> None:
        self._output = output
        self._token = token
        self._process = process

    def run(self, work: Callable[[], T]) -> T | int:
        """Do the work, and report its result to the parent."""
        listen(self.say)
        found: T | int
        try:
            found = work()
        except SystemExit as left:  # from the parser: the help was asked for, or an argument is wrong
            found = left.code if isinstance(left.code, int) else ExitStatus.HOLDS
        except BaseException:  # a defect of gridproof is no verdict on anything
            import traceback  # imported here: it is seldom needed

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
        """Send a message to the parent."""
        if os.getpid() != self._process:  # a fork by user code, which came back into this code
            return
        data = os.fsencode(f"{self._token}{what}{whom}\0")
        with suppress(OSError):  # code that closed everything gets no verdict
            while data:
                data = data[os.write(self._output, data) :]


class _Parent:
    """The process that waits for the child."""

    def __init__(self, child: int, token: str, news: int, held: int) -> None:
        self._child = child
        self._token = token
        self._news = news
        self._is_open = True
        self._held = held
        self._deaf_s: float | None = None
        """Since when the child has failed to notice a signal that should end it; None if it has not failed."""
        self._is_killed = False
        self._cut = b""
        """The beginning of a message that has not arrived completely yet."""
        self._begun: set[str] = set()
        self._said: dict[str, list[str]] = {}
        """The messages of all other kinds, by their kind."""

    def wait(self, wakes: int | None = None) -> str:
        """Return the child's last message after it has ended; signals, whose numbers come by `wakes`, are passed on.

        Raise EndedError if the child sent no message, and KeyboardInterrupt if it did not notice a signal either.
        """
        ended: int | None = None
        try:
            while (ended := self._looked(wakes)) is None:
                pass
        finally:
            if ended is None:  # a signal interrupts this process
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
        cure = f"mend {own}" if own else "try again"
        raise EndedError(f"{whose} {how} before it gave a verdict, so nothing is known; {cure}")

    def _looked(self, wakes: int | None) -> int | None:
        """Read the messages that have arrived; return the status with which the child ended, or None."""
        sources = ([self._news] if self._is_open else []) + ([] if wakes is None else [wakes])
        is_known = VERDICT in self._said
        patience_s = LEAVING_S if is_known else LOOK_EVERY_S
        ready, _, _ = select.select(sources, [], [], patience_s if self._is_open else ENDED_LOOK_EVERY_S)
        if is_known and self._is_open and not ready:  # some part of the user's code does not end
            os.kill(self._child, signal.SIGKILL)
        if wakes in ready and wakes is not None:
            for number in os.read(wakes, 512):
                os.kill(self._child, number)
                os.kill(self._child, signal.SIGCONT)  # a stopped process notices nothing
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
        """End the child; Ctrl-C has reached the child, too."""
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGTERM)
        with suppress(ChildProcessError):
            os.waitpid(self._child, 0)
        self._take_away()

    def _take_away(self) -> None:
        for begun in self._begun:
            discard(Path(begun))
        for made in reversed(self._said.get(Notice.MADE, [])):
            with suppress(OSError):  # a folder with something in it stays
                Path(made).rmdir()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _as_ctrl_c(heard: Sequence[signal.Signals]) -> None:
    """Make each signal that ends a command do what Ctrl-C does, but only once if it comes twice within a short time."""

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        global _heard_s
        _say_heard(_theirs(frame))
        if time.monotonic() - _heard_s >= TWICE_S:
            _heard_s = time.monotonic()
            raise KeyboardInterrupt

    def hand_on(_signal: int, frame: FrameType | None) -> None:
        _say_heard(_theirs(frame))
        signal.raise_signal(signal.SIGINT)  # calls the handler that Ctrl-C has at the moment

    sys.unraisablehook = _passed_over
    os.register_at_fork(after_in_child=_end_where_they_return)
    for one in heard:
        signal.signal(one, hand_on if one is not signal.SIGINT and signal.SIGINT in heard else interrupt)


def _say_heard(theirs: FrameType | None) -> None:
    """Report that a signal was noticed, but only after user code let it through, as it may swallow any exception."""

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
    """Yield the frames of a stack that are above the command's own frame, the innermost first."""
    while frame is not None and frame.f_code is not _Child.run.__code__:
        yield frame
        frame = frame.f_back


def _theirs(frame: FrameType | None) -> FrameType | None:
    """Return the frame in which gridproof called a user's code, if that code is running; libraries do not count."""

    def is_own(one: FrameType) -> bool:
        file, name = one.f_code.co_filename, str(one.f_globals.get("__name__"))
        return not (file.startswith(LIBRARIES) or "-packages" in file or name.partition(".")[0] in OURS)

    return next((one for one in reversed([*_stack(frame)]) if is_own(one)), None)


def _end_where_they_return() -> None:
    """If a process that user code has forked returns into gridproof's code, end it: only one process goes on with the
    command."""
    theirs = _theirs(sys._getframe())
    if theirs is None or threading.current_thread() is not threading.main_thread():
        return

    def end(frame: FrameType, event: str, _: object) -> None:
        if frame is theirs and event == "return":
            os._exit(0)

    sys.setprofile(end)


def _passed_over(error: "sys.UnraisableHookArgs") -> None:
    """Send an interruption again if it was raised in a destructor or a callback, where Python drops it.

    An exit raised there ends nothing, and Python's lines about it would only disturb the reader of a verdict.
    """
    global _heard_s
    if error.exc_type is KeyboardInterrupt:
        _heard_s = -TWICE_S
        threading.Timer(AGAIN_S, os.kill, [os.getpid(), signal.SIGTERM]).start()
    elif error.exc_type is not SystemExit:
        sys.__unraisablehook__(error)


def _follow_the_parent(life: int) -> None:
    """End this process when its parent ends, for instance because the parent was killed."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LEAVING_S)
    os._exit(ExitStatus.UNKNOWN)


def _make_outputs_forgiving() -> None:
    """Write letters that the terminal's encoding lacks as escapes, and ignore that a reader (head, less) has ended.

    The status of a command follows from its result, whether or not its output is read, and whatever user code does to
    standard output: the command has its own descriptor.
    """
    codecs.register_error("escaped", _escape)
    for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
        if isinstance(stream, io.TextIOWrapper):
            stream.flush()
            with suppress(OSError):  # there is no such stream
                raw = _Forgiving(os.dup(stream.fileno()), "wb")
                raw.says_full = stream is sys.stdout
                buffered = io.BufferedWriter(raw)
                by_line = stream.line_buffering or stream.write_through
                forgiving = _Open(buffered, stream.encoding, "escaped", line_buffering=by_line)
                setattr(sys, name, forgiving)
                setattr(sys, f"__{name}__", forgiving)


class _Open(io.TextIOWrapper):
    """An output that stays open even if user code closes it."""

    def close(self) -> None:
        with suppress(OSError):
            self.flush()


class _Forgiving(io.FileIO):
    """An output whose reader may have ended."""

    says_full = True
    """Whether to report that the disk is full; only the first time, as the content of the buffer is written again."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            if error.errno in NO_ROOM and self.says_full:
                self.says_full = False
                raise
            return memoryview(data).nbytes  # type: ignore[arg-type]


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return letters that an encoding lacks as the escapes of JSON, so that JSON output remains valid."""
    assert isinstance(error, UnicodeEncodeError)
    units = "".join(error.object[error.start : error.end]).encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)), error.end


_child: _Child | None = None
_heard_s = -TWICE_S
"""When a signal was last noticed, by the monotonic clock."""
