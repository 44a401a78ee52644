"""Rows and tables, with holes or without."""

from collections.abc import Sequence

from hypothesis import strategies as st

from gridproof_model.identity import MemberId
from gridproof_model.partition_table import MAX_REPLICA_COUNT, PartitionRow, PartitionTable, pad_slots


@st.composite
def rows(draw: st.DrawFn, owners: Sequence[MemberId], *, holes: bool = True) -> PartitionRow:
    """Draw a row over these members: each at most once, with empty slots anywhere, or only behind the filled ones."""
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
