"""How a call to Valkey ended is known: refused, executed, or sent without an answer."""

import socket
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from valkey import exceptions

from gridproof_implementation.live.agent import RefusedError
from gridproof_implementation.live.systems.valkey.cluster import BROKEN, ClusterNode
from gridproof_implementation.live.systems.valkey.topology import Address


class Peer:
    """A server with an answer for each request of one connection, which it then closes."""

    def __init__(self, *answers: bytes) -> None:
        self.heard: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: Address = "127.0.0.1", int(self._listener.getsockname()[1])
        self._thread = Thread(target=self._serve, args=[answers])
        self._thread.start()

    def _serve(self, answers: tuple[bytes, ...]) -> None:
        connection, _ = self._listener.accept()
        with connection:
            for answer in answers:
                self.heard.append(connection.recv(65_536))
                connection.sendall(answer)

    def is_asked_again(self) -> bool:
        """Whether there was another connection."""
        self._listener.settimeout(0)
        try:
            self._listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        self._thread.join()
        self._listener.close()


PeerMaker = Callable[..., Peer]


@pytest.fixture
def peer() -> Iterator[PeerMaker]:
    """Start servers; they are closed in the end."""
    started: list[Peer] = []

    def start(*answers: bytes) -> Peer:
        started.append(Peer(*answers))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (b":-3\r\n", -3),
        (b"$-1\r\n", None),
        (b"$4\r\na\r\nb\r\n", "a\r\nb"),
        (b"$3\r\n\xed\xa0\x80\r\n", "\ud800"),
        (b"*3\r\n$1\r\nx\r\n:1\r\n*-1\r\n", ["x", 1, None]),
    ],
)
def test_a_reply_is_what_came(peer: PeerMaker, answer: bytes, reply: object) -> None:
    assert ClusterNode(peer(answer).address).read("GET", "k") == reply


def test_nothing_is_sent_but_the_command(peer: PeerMaker) -> None:
    server = peer(b"$1\r\nv\r\n")
    ClusterNode(server.address).read("GET", "ü\ud800")

    assert server.heard == [b"*2\r\n$3\r\nGET\r\n$5\r\n\xc3\xbc\xed\xa0\x80\r\n"]


def test_a_write_that_somebody_waits_for_is_followed_by_wait_on_its_connection(peer: PeerMaker) -> None:
    server = peer(b"+OK\r\n", b":1\r\n")
    ended = ClusterNode(server.address, sync_backups=2).write("SET", "k", "")

    assert ended.copies == 2
    assert server.heard[1] == b"*3\r\n$4\r\nWAIT\r\n$1\r\n2\r\n$4\r\n1000\r\n"


def test_one_that_nobody_waits_for_is_the_primarys_alone(peer: PeerMaker) -> None:
    server = peer(b":7\r\n")
    ended = ClusterNode(server.address).write("INCR", "k")

    assert (ended.reply, ended.copies, len(server.heard)) == (7, 1, 1)


def test_who_does_not_own_the_slot_says_where_it_is(peer: PeerMaker) -> None:
    owner = peer(b"$1\r\nv\r\n")
    other = peer(b"-MOVED 12182 127.0.0.1:%d\r\n" % owner.address[1])

    assert ClusterNode(other.address).read("GET", "foo") == "v"
    assert owner.heard == other.heard


@pytest.mark.parametrize(
    "error",
    [
        "CLUSTERDOWN The cluster is down",
        "READONLY You can't write against a read only replica.",
        "LOADING Valkey is loading the dataset in memory",
        "NOAUTH Authentication required.",
    ],
)
def test_an_error_says_that_nothing_was_executed(peer: PeerMaker, error: str) -> None:
    with pytest.raises(RefusedError):
        ClusterNode(peer(f"-{error}\r\n".encode()).address).write("SET", "k", "v")


def test_what_was_never_sent_was_not_executed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address: Address = "127.0.0.1", int(gone.getsockname()[1])

    with pytest.raises(RefusedError):
        ClusterNode(address).write("SET", "k", "v")


@pytest.mark.parametrize("answer", [b"", b"+O", b"$9\r\nabc"])
def test_a_reply_that_breaks_off_leaves_open_what_was_done_and_nothing_is_sent_again(
    peer: PeerMaker, answer: bytes
) -> None:
    server = peer(answer)

    with pytest.raises(exceptions.ConnectionError):
        ClusterNode(server.address).write("SET", "k", "v")
    assert not server.is_asked_again()


def test_silence_leaves_open_what_was_done_and_nothing_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_implementation.live.systems.valkey.cluster.CALL_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(exceptions.TimeoutError):
            ClusterNode(("127.0.0.1", int(server.getsockname()[1]))).write("SET", "k", "v")
        connection, _ = server.accept()
        with connection:
            assert connection.recv(65_536).count(b"SET") == 1
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_write_whose_wait_fails_may_have_been_done(peer: PeerMaker) -> None:
    with pytest.raises((exceptions.ResponseError, *BROKEN)) as caught:
        ClusterNode(peer(b"+OK\r\n", b"-ERR no\r\n").address, sync_backups=1).write("SET", "k", "v")

    assert not isinstance(caught.value, RefusedError)
