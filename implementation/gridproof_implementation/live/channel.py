"""One JSON line each way between driver and member.

A question carries a number and a command; the answer carries the same number. A late answer to a question that was
given up is recognised by its number and dropped, so one slow member cannot shift every later answer by one.
"""

import json
import os
import socket
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

_CHUNK_BYTES = 65_536


class ChannelClosedError(Exception):
    """The other side is gone."""


class NoAnswerError(Exception):
    """The other side did not answer within the time it was given."""


class Channel:
    """A connected stream socket that carries one JSON object a line."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unread = b""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one object; ChannelClosedError when nobody is there to read it."""
        try:
            self._connection.settimeout(None)
            self._connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise ChannelClosedError(str(error)) from error

    def receive(self, timeout_s: float | None = None) -> dict[str, Any]:
        """Return the next object; NoAnswerError after `timeout_s` seconds, ChannelClosedError at the end."""
        deadline = None if timeout_s is None else monotonic() + timeout_s
        while b"\n" not in self._unread:
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                raise NoAnswerError(f"no answer within {timeout_s} s")
            self._unread += self._read(left)
        line, self._unread = self._unread.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        """Close this side."""
        self._connection.close()

    def _read(self, timeout_s: float | None) -> bytes:
        try:
            self._connection.settimeout(timeout_s)
            chunk = self._connection.recv(_CHUNK_BYTES)
        except TimeoutError:
            return b""
        except OSError as error:
            raise ChannelClosedError(str(error)) from error
        if not chunk:
            raise ChannelClosedError("end of stream")
        return chunk


def serve(file_descriptor: int, hello: Mapping[str, Any], commands: Mapping[str, Callable[..., Any]]) -> None:
    """Say hello, then answer commands until the driver is gone; then end this process at once.

    A member never outlives its driver: the channel closes when the driver ends, however it ends. A command that
    raises answers with the error in words.
    """
    channel = Channel(socket.socket(fileno=file_descriptor))
    try:
        channel.send({"number": 0, "answer": dict(hello)})
        while True:
            question = channel.receive()
            channel.send({"number": question["number"], **_answer(commands, question)})
    except ChannelClosedError:
        os._exit(0)


def _answer(commands: Mapping[str, Callable[..., Any]], question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": commands[question["command"]](**question["arguments"])}
    except Exception as error:  # the driver decides what an error means
        return {"error": f"{type(error).__name__}: {error}"}
