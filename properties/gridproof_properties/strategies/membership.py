"""Addresses, members, member lists."""

from hypothesis import strategies as st

from gridproof_model.groups import HOST_ATTRIBUTE, NODE_ATTRIBUTE, RACK_ATTRIBUTE, ZONE_ATTRIBUTE
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.membership import MemberList

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


@st.composite
def member_lists(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 9, lite: bool | None = None) -> MemberList:
    """Draw a member list: no address and no uuid stands twice."""
    drawn = draw(
        st.lists(
            members(lite=lite),
            min_size=min_size,
            max_size=max_size,
            unique_by=(lambda member: member.id.address, lambda member: member.id.uuid),
        )
    )
    return MemberList(draw(st.integers(0, 100)), tuple(drawn))
