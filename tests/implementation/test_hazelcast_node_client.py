"""The public Node.js client, asked offline where its package is, and what has to be fetched for it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters.hazelcast_node_client import (
    ADAPTER,
    PACKAGES,
    open_hazelcast_node_client,
)
from gridproof_implementation.live import fetching
from gridproof_implementation.live.agent_library import AgentRouter
from gridproof_model.hashing import INT_MIN
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_hash, partition_of
from tests.model.golden_keys import GOLDEN_KEYS

here = pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live")


@pytest.fixture(scope="module")
def client() -> Iterator[AgentRouter]:
    with open_hazelcast_node_client(Options()) as opened:
        yield opened


@here
@pytest.mark.live
@pytest.mark.xdist_group("live")
class TestAsked:
    """By a process of Node.js."""

    def test_the_release_is_the_pinned_one(self, client: AgentRouter) -> None:
        assert PACKAGES[0] == f"hazelcast-client@{client.version}"

    def test_the_client_gives_every_golden_key_its_documented_partition(self, client: AgentRouter) -> None:
        keys = [golden.key for golden in GOLDEN_KEYS]

        assert list(client.partitions_of(keys, 271)) == [golden.partition for golden in GOLDEN_KEYS]

    def test_types_that_only_this_client_has_are_routed_too(self, client: AgentRouter) -> None:
        keys = [Key(KeyType.FLOAT, 1.5), Key(KeyType.FLOAT, float("-inf")), Key(KeyType.BYTE, -1)]
        keys += [Key(KeyType.LONG, -(2**63)), Key(KeyType.DOUBLE, -0.0)]

        assert list(client.partitions_of(keys, 271)) == [partition_of(key, 271) for key in keys]

    def test_the_client_misses_the_partition_of_the_smallest_hash(self, client: AgentRouter) -> None:
        # Math.abs of -2^31 is 2^31 in JavaScript, whose numbers are no 32-bit integers.
        key = Key(KeyType.INT, 1611540325)

        assert partition_hash(key) == INT_MIN
        assert list(client.partitions_of([key], 271)) == [2**31 % 271] == [245]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (Key(KeyType.BOOLEAN, True), "true"),
        (Key(KeyType.INT, -1), "-1"),
        (Key(KeyType.FLOAT, 1.5), "3fc00000"),
        (Key(KeyType.DOUBLE, 1.5), "3ff8000000000000"),
        (Key(KeyType.BYTES, b"\x00a"), "0061"),
        (Key(KeyType.STRING, "true"), "true"),
    ],
)
def test_a_key_is_written_so_that_no_bit_is_lost(key: Key, text: str) -> None:
    assert key.written == (key.type.value, text)


def test_a_missing_npm_is_one_line_with_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    assert ADAPTER.missing() == f"{PACKAGES[0]} was not fetched yet"
    with pytest.raises(AdapterError, match=rf"^{PACKAGES[0]} has to be fetched with npm, which is not installed;"):
        fetching.fetch_packages(PACKAGES)


def test_a_missing_node_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    at_hand(tmp_path, monkeypatch, PACKAGES)

    assert ADAPTER.missing() == "node is not installed"
    with pytest.raises(AdapterError, match=r"^node is not installed; type: apt-get install nodejs$"):
        ADAPTER.open(Options()).__enter__()


def test_another_pin_of_a_package_that_comes_along_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    at_hand(tmp_path, monkeypatch, PACKAGES)

    assert fetching.packages_at_hand(PACKAGES) is not None
    assert fetching.packages_at_hand((*PACKAGES[:-1], "@types/long@5.0.0")) is None


def at_hand(cache: Path, monkeypatch: pytest.MonkeyPatch, wanted: Sequence[str]) -> None:
    """Fetch packages with an npm that brings nothing."""
    monkeypatch.setattr("shutil.which", lambda name: name if name == "npm" else None)
    monkeypatch.setattr(fetching, "run_fetcher", lambda *_: None)
    fetching.fetch_packages(wanted)


def test_every_package_is_pinned() -> None:
    assert all(name.lstrip("@").count("@") == 1 for name in PACKAGES)
