"""Draws addresses, members, rows and tables; rows may have holes."""

from collections.abc import Sequence

from hypothesis import strategies as st

from gridproof_model.groups import HOST_ATTRIBUTE, NODE_ATTRIBUTE, RACK_ATTRIBUTE, ZONE_ATTRIBUTE
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import MAX_REPLICA_COUNT, PartitionRow, PartitionTable, pad_slots

GROUP_ATTRIBUTES = (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE, NODE_ATTRIBUTE)


def addresses() -> st.SearchStrategy[Address]:
    """Draw addresses on a few hosts, so that members often share a host."""
    hosts = st.sampled_from([f"10.10.{third}.{fourth}" for third in range(2) for fourth in range(1, 4)])
    return st.builds(Address, hosts, st.integers(5701, 5720))


def member_ids() -> st.SearchStrategy[MemberId]:
    """Draw identities of members; equal addresses with different uuids are incarnations at that address."""
    return st.builds(MemberId, addresses(), st.uuids(version=4))


@st.composite
def members(draw: st.DrawFn, *, lite: bool | None = None, grouped: bool = True) -> Member:
    """Draw a member: a lite member, a data member, or either; with all attributes that grouping reads, or with none."""
    values = [(name, draw(st.sampled_from("abc"))) for name in GROUP_ATTRIBUTES] if grouped else []
    is_lite = draw(st.booleans()) if lite is None else lite
    return Member(draw(member_ids()), is_lite, tuple(sorted(values)))


@st.composite
def rows(draw: st.DrawFn, owners: Sequence[MemberId], *, holes: bool = True) -> PartitionRow:
    """Draw a row over these members, each at most once; empty slots are anywhere, or only after the filled ones."""
    shuffled = draw(st.permutations(owners))
    held = list[MemberId | None](shuffled[: draw(st.integers(0, min(len(owners), MAX_REPLICA_COUNT)))])
    if holes:
        held = draw(st.permutations([*held, *[None] * (MAX_REPLICA_COUNT - len(held))]))
    return PartitionRow(pad_slots(held), draw(st.integers(0, 1000)))


@st.composite
def tables(
    draw: st.DrawFn, owners: Sequence[MemberId], *, max_partition_count: int = 16, holes: bool = True
) -> PartitionTable:
    """Draw a table over these members."""
    drawn = draw(st.lists(rows(owners, holes=holes), min_size=1, max_size=max_partition_count))
    return PartitionTable(tuple(drawn))
