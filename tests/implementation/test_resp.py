"""The protocol of Redis and Valkey."""

import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from gridproof_implementation.live.resp import Connection, ReplyError


class Peer:
    """A server that answers what it is made to, whatever it is sent."""

    def __init__(self, answer: bytes) -> None:
        self.heard = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = Thread(target=self._serve, args=[answer])
        self._thread.start()

    def _serve(self, answer: bytes) -> None:
        connection, _ = self._listener.accept()
        with connection:
            self.heard = connection.recv(65_536)
            connection.sendall(answer)

    def close(self) -> None:
        self._thread.join()
        self._listener.close()


@pytest.fixture
def peers() -> Iterator[list[Peer]]:
    started: list[Peer] = []
    yield started
    for peer in started:
        peer.close()


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (b"+OK\r\n", "OK"),
        (b":-3\r\n", -3),
        (b"$-1\r\n", None),
        (b"$4\r\na\r\nb\r\n", "a\r\nb"),
        (b"*3\r\n$1\r\nx\r\n:1\r\n*-1\r\n", ["x", 1, None]),
        (b"-MOVED 12182 127.0.0.1:7000\r\n", ReplyError("MOVED 12182 127.0.0.1:7000")),
    ],
)
def test_a_reply_is_read_whole(peers: list[Peer], answer: bytes, reply: object) -> None:
    peers.append(Peer(answer))
    with Connection("127.0.0.1", peers[0].port, 5) as connection:
        found = connection.ask("PING")

    assert (type(found), found) == (type(reply), reply)


def test_a_command_is_sent_with_the_size_of_each_word(peers: list[Peer]) -> None:
    peers.append(Peer(b"+OK\r\n"))
    with Connection("127.0.0.1", peers[0].port, 5) as connection:
        connection.ask("SET", "ü", "")

    assert peers[0].heard == b"*3\r\n$3\r\nSET\r\n$2\r\n\xc3\xbc\r\n$0\r\n\r\n"


def test_the_kind_of_an_error_is_its_first_word() -> None:
    assert ReplyError("CLUSTERDOWN The cluster is down").kind == "CLUSTERDOWN"


@pytest.mark.parametrize("answer", [b"", b"+O", b"$9\r\nabc", b"?\r\n"])
def test_a_reply_that_breaks_off_is_an_error_of_the_connection(peers: list[Peer], answer: bytes) -> None:
    peers.append(Peer(answer))
    with Connection("127.0.0.1", peers[0].port, 5) as connection, pytest.raises(ConnectionError):
        connection.ask("PING")
