"""The smallest ring on which cassandra-driver names a host twice."""

from gridproof_implementation.adapter import Node, Options
from gridproof_implementation.adapters.cassandra_token_map import open_cassandra_token_map

NODES = [Node("a1", "rack-a"), Node("a2", "rack-a"), Node("a3", "rack-a"), Node("b1", "rack-b")]
KEYS = [f"key-{number}" for number in range(200)]


def replicas(copies: int) -> list[tuple[str, ...]]:
    """The replicas of each key."""
    with open_cassandra_token_map(Options(backup_count=copies - 1)) as placer:
        return [tuple(names) for names in placer.place(KEYS, NODES)]


def test_with_two_copies_more_than_racks_a_host_is_named_twice_and_another_left_out() -> None:
    """A host of a rack already used is put aside once for each of its tokens; later it is taken as often."""
    twice = [names for names in replicas(copies=4) if len(set(names)) < 4]

    assert twice
    assert all(len(names) == 4 and len(set(names)) == 3 for names in twice)


def test_with_one_copy_more_than_racks_hosts_are_distinct() -> None:
    assert {len(set(names)) for names in replicas(copies=3)} == {3}
