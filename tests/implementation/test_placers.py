"""The adapters of placement libraries."""

import pytest

from gridproof_implementation.adapter import Kind, Node, Options
from gridproof_implementation.adapters import ADAPTERS, get_adapter

NODES = [Node("a", "zone-1"), Node("b", "zone-2"), Node("c", "zone-3"), Node("d", "zone-1", weight=2.0)]
KEYS = [f"key-{number}" for number in range(300)]
PLACERS = [adapter.name for adapter in ADAPTERS if adapter.kind is Kind.PLACER]


def placed(name: str, backup_count: int = 1, nodes: list[Node] = NODES) -> list[tuple[str, ...]]:
    """Where each key goes."""
    with get_adapter(name).open(Options(backup_count=backup_count)) as placer:
        return [tuple(row) for row in placer.place(KEYS, nodes)]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", PLACERS)
def test_the_same_keys_go_to_the_same_nodes(name: str) -> None:
    assert placed(name) == placed(name)


@pytest.mark.parametrize("name", PLACERS)
def test_every_node_holds_something(name: str) -> None:
    assert {node for row in placed(name) for node in row} == {"a", "b", "c", "d"}


@pytest.mark.parametrize("name", ["uhashring", "clandestined", "cassandra-token-map"])
def test_as_many_copies_as_asked_on_different_nodes(name: str) -> None:
    assert {len(set(row)) for row in placed(name, backup_count=2)} == {3}


def test_jump_knows_one_copy() -> None:
    assert {len(row) for row in placed("jump-consistent-hash", backup_count=2)} == {1}


@pytest.mark.parametrize("name", ["clandestined", "cassandra-token-map"])
def test_copies_are_in_different_zones(name: str) -> None:
    zones = {node.name: node.zone for node in NODES}

    assert {len({zones[node] for node in row}) for row in placed(name, backup_count=2)} == {3}


@pytest.mark.parametrize("name", ["uhashring", "cassandra-token-map"])
def test_a_heavier_node_holds_more(name: str) -> None:
    first = [row[0] for row in placed(name)]

    assert first.count("d") > 1.3 * max(first.count(node) for node in "abc")
