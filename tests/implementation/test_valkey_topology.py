"""What CLUSTER NODES says, as a value."""

import pytest

from gridproof_implementation.live.systems.valkey.topology import Shard, address_of, read_topology

LINES = """\
bbb 127.0.0.1:7001@17001,, myself,master - 0 0 2 connected 8192-16383
ccc 127.0.0.1:7002@17002,, slave aaa 0 0 1 connected
aaa 127.0.0.1:7000@17000,, master - 0 0 1 connected 0-8191 [93->-bbb]
ddd 127.0.0.1:7003@17003,, slave,fail aaa 0 0 1 disconnected
eee :0@0,, master,noaddr - 0 0 0 disconnected
fff 127.0.0.1:7005@17005,, master - 0 0 0 connected
"""


def test_a_shard_is_a_primary_with_the_replicas_that_count() -> None:
    first, second = read_topology(LINES).shards

    assert first == Shard("aaa", 1, ((0, 8191),), ("ccc",))
    assert (second.members, second.epoch) == (["bbb"], 2)


def test_members_are_those_that_are_not_marked() -> None:
    topology = read_topology(LINES)

    assert (topology.me, topology.members) == ("bbb", ["bbb", "ccc", "aaa", "fff"])
    assert [node.id for node in topology.empty_primaries()] == ["fff"]


def test_each_block_has_its_shard_or_nobody() -> None:
    shards = read_topology(LINES.replace("8192-16383", "8192-16319")).shards_by_block()

    assert [shard and shard.primary for shard in (shards[0], shards[127], shards[128], shards[255])] == [
        "aaa", "aaa", "bbb", None,
    ]  # fmt: skip


def test_a_block_that_was_torn_is_an_error() -> None:
    with pytest.raises(ValueError, match="slots 0-8190 of aaa are not whole blocks of"):
        read_topology(LINES.replace("0-8191", "0-8190")).shards_by_block()


def test_shards_are_equal_at_nodes_that_list_them_in_another_order() -> None:
    turned = "\n".join(reversed(LINES.splitlines()))

    assert read_topology(turned).shards == read_topology(LINES).shards


@pytest.mark.parametrize(
    ("flags", "why"),
    [("master", None), ("master,fail?", "fff is fail?, master"), ("handshake", "fff is handshake")],
)
def test_who_is_suspected_or_new_is_doubtful(flags: str, why: str | None) -> None:
    last = "fff 127.0.0.1:7005@17005,, {} - 0 0 0 connected"

    assert read_topology(LINES.replace(last.format("master"), last.format(flags))).why_doubtful() == why


def test_an_address_is_read_without_what_is_added() -> None:
    assert address_of("127.0.0.1:7000@17000,host") == address_of("127.0.0.1:7000") == ("127.0.0.1", 7000)
