"""The protocol of Redis and Valkey, in a few lines.

A client library tries again by itself and so hides how a call ended; this one sends commands and returns what came.
Needs the standard library only.
"""

import socket
from types import TracebackType
from typing import Any

Reply = Any
"""Text, a whole number, None, a list of replies, or a `ReplyError`."""


class ReplyError(str):
    """An error that the server answered with: its first word is its kind."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The first word, as in MOVED."""
        return self.split(" ", 1)[0]


class Connection:
    """One connection to one server; OSError where it breaks or nothing comes in time.

    To connect may take `connect_s` only: who runs on a network of one machine accepts at once, even while it is paused.
    """

    def __init__(self, host: str, port: int, timeout_s: float, connect_s: float = 1.0) -> None:
        self._socket = socket.create_connection((host, port), connect_s)
        self._socket.settimeout(timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> "Connection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self._socket.close()

    def ask(self, *words: str) -> Reply:
        """Send one command and return its reply."""
        return self.ask_all([words])[0]

    def ask_all(self, commands: list[tuple[str, ...]]) -> list[Reply]:
        """Send commands at once and return their replies in order."""
        self._socket.sendall(b"".join(_written(words) for words in commands))
        return [self._read() for _ in commands]

    def _read(self) -> Reply:
        line = self._lines.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return _text(rest)
        if kind == b"-":
            return ReplyError(_text(rest))
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else _text(self._exactly(int(rest) + 2)[:-2])
        if kind == b"*":
            return None if rest == b"-1" else [self._read() for _ in range(int(rest))]
        raise ConnectionError(f"the server sent {line[:40]!r}, which is no reply")

    def _exactly(self, size: int) -> bytes:
        read = self._lines.read(size)
        if len(read) < size:
            raise ConnectionError("the server closed the connection")
        return read


def _written(words: tuple[str, ...]) -> bytes:
    encoded = [word.encode(errors="surrogatepass") for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)


def _text(read: bytes) -> str:
    return read.decode(errors="surrogatepass")
