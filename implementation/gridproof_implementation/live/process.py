"""One member as a process of its own."""

import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gridproof_implementation.live.channel import Channel, ChannelClosedError, NoAnswerError

ANSWER_TIMEOUT_S = 15.0
"""Longer than any timeout inside an audited system: whoever answers later than this hangs."""


class MemberError(Exception):
    """The member answered with an error; the message is the error in its words."""


class LiveProcess:
    """A running `python -m <module>` that speaks the channel's lines; its output goes to a log file."""

    def __init__(self, name: str, module: str, arguments: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        ours, theirs = socket.socketpair()
        with log.open("wb") as output:
            self._popen = subprocess.Popen(
                [sys.executable, "-m", module, "--channel", str(theirs.fileno()), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd=log.parent,
            )
        theirs.close()
        self._channel = Channel(ours)
        self._number = 0

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        """Whether the process still exists."""
        return self._popen.poll() is None

    def hello(self, timeout_s: float) -> dict[str, Any]:
        """Return what the member says once it is ready; NoAnswerError or ChannelClosedError when it never is."""
        answer: dict[str, Any] = self._channel.receive(timeout_s)["answer"]
        return answer

    def ask(self, command: str, timeout_s: float = ANSWER_TIMEOUT_S, **arguments: Any) -> Any:
        """Return the member's answer; MemberError, NoAnswerError or ChannelClosedError when there is none."""
        self._number += 1
        self._channel.send({"number": self._number, "command": command, "arguments": arguments})
        while True:
            reply = self._channel.receive(timeout_s)
            if reply["number"] == self._number:
                break
        if "error" in reply:
            raise MemberError(reply["error"])
        return reply["answer"]

    def kill(self) -> None:
        """End the process at once (SIGKILL) and reap it; nothing happens when it is gone already."""
        self._popen.kill()
        self._popen.wait()
        self._channel.close()

    def wait_gone(self, timeout_s: float) -> bool:
        """Wait for the process to end by itself; return whether it did."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(timeout_s)
        if self.is_running:
            return False
        self._channel.close()
        return True

    def last_words(self) -> str:
        """Return the last line the process wrote, or "no output"."""
        lines = self.log.read_text(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no output")


__all__ = ["ANSWER_TIMEOUT_S", "ChannelClosedError", "LiveProcess", "MemberError", "NoAnswerError"]
