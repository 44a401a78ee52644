"""Addresses and members."""

from hypothesis import strategies as st

from gridproof_model.groups import HOST_ATTRIBUTE, NODE_ATTRIBUTE, RACK_ATTRIBUTE, ZONE_ATTRIBUTE
from gridproof_model.identity import Address, Member, MemberId

GROUP_ATTRIBUTES = (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE, NODE_ATTRIBUTE)


def addresses() -> st.SearchStrategy[Address]:
    """Draw addresses on few hosts, so that members often share one."""
    hosts = st.sampled_from([f"10.10.{third}.{fourth}" for third in range(2) for fourth in range(1, 4)])
    return st.builds(Address, hosts, st.integers(5701, 5720))


def member_ids() -> st.SearchStrategy[MemberId]:
    """Draw identities; equal addresses with different uuids are incarnations."""
    return st.builds(MemberId, addresses(), st.uuids(version=4))


@st.composite
def members(draw: st.DrawFn, *, lite: bool | None = None, grouped: bool = True) -> Member:
    """Draw a member: a lite one, a data member, or either; with every attribute that groups read, or with none."""
    values = [(name, draw(st.sampled_from("abc"))) for name in GROUP_ATTRIBUTES] if grouped else []
    is_lite = draw(st.booleans()) if lite is None else lite
    return Member(draw(member_ids()), is_lite, tuple(sorted(values)))
