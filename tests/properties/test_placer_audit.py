"""The audit of a placement library."""

from collections.abc import Sequence

import pytest

from gridproof_implementation.adapter import AdapterError, Node, Options
from gridproof_model.trace import MemberChange, MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.audits.routing import PlacerPlan, audit_placer


class ByLength:
    """Puts a key on the first nodes, whatever the key."""

    version = "1"
    copies = 2
    separates_zones = False

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        self.asked.append(tuple(keys))
        return [[nodes[0].name, nodes[1].name] for _ in keys]


def audited(placer: ByLength, seed: int = 0) -> list[Record]:
    records: list[Record] = []
    audit_placer(placer, "by-length", Options(seed=seed), records.append, PlacerPlan(key_count=50))
    return records


def test_six_nodes_then_seven_then_six_others() -> None:
    views = [record for record in audited(ByLength()) if isinstance(record, ViewRecord)]

    assert [(view.stage, len(view.members)) for view in views] == [("joined 6", 6), ("joined 7", 7), ("left 1", 6)]
    assert 6 in views[2].members


def test_an_audit_begins_with_as_many_nodes_as_are_asked_for() -> None:
    records: list[Record] = []
    audit_placer(ByLength(), "by-length", Options(node_count=2), records.append, PlacerPlan(key_count=50))

    views = [record for record in records if isinstance(record, ViewRecord)]
    assert [(view.stage, len(view.members)) for view in views] == [("joined 2", 2), ("joined 3", 3), ("left 1", 2)]


def test_zones_of_a_library_that_knows_none_are_refused_before_anything_is_recorded() -> None:
    records: list[Record] = []

    with pytest.raises(AdapterError, match="--zones a: by-length does not separate copies by zone"):
        audit_placer(ByLength(), "by-length", Options(zones=("a",)), records.append)
    assert records == []


def test_zones_are_given_to_the_nodes_in_turn() -> None:
    records: list[Record] = []
    apart = ByLength()
    apart.separates_zones = True
    options = Options(zones=("x", "y"))
    audit_placer(apart, "apart", options, records.append, PlacerPlan(key_count=5))

    assert {record.group for record in records if isinstance(record, MemberRecord)} >= {"x", "y"}


def test_every_key_is_a_partition() -> None:
    records = audited(ByLength())

    assert isinstance(records[0], RunRecord)
    assert (records[0].partition_count, records[0].backup_count) == (50, 1)
    assert sum(isinstance(record, RowRecord) for record in records) == 3 * 50


class Apart(ByLength):
    separates_zones = True


def test_zones_are_the_groups_of_a_library_that_puts_copies_apart_by_them() -> None:
    views = [record for record in audited(Apart()) if isinstance(record, ViewRecord)]

    assert views[-1].groups == ("zone-a", "zone-b", "zone-c", "zone-a", "zone-b", "zone-c", "zone-a")


def test_to_a_library_that_knows_no_zones_each_node_is_a_group() -> None:
    views = [record for record in audited(ByLength()) if isinstance(record, ViewRecord)]

    assert views[-1].groups == tuple(f"node-{number}" for number in range(1, 8))


def test_the_same_distinct_keys_are_placed_each_time() -> None:
    placer = ByLength()
    audited(placer)

    assert len(set(placer.asked)) == 1
    assert len(set(placer.asked[0])) == 50


def test_one_node_that_is_neither_the_first_nor_the_newest_leaves() -> None:
    for seed in range(10):
        left = [
            r.member for r in audited(ByLength(), seed) if isinstance(r, MemberRecord) and r.change is MemberChange.LEFT
        ]

        assert len(left) == 1
        assert left[0] in range(1, 6)
