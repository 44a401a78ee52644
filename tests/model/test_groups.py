"""How members become partition groups.

The strategies of the seed and chapter placement.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.groups import (
    HOST_ATTRIBUTE,
    NODE_ATTRIBUTE,
    PLACEMENT_ATTRIBUTE,
    RACK_ATTRIBUTE,
    ZONE_ATTRIBUTE,
    GroupError,
    GroupStrategy,
    GroupType,
    MemberGroup,
    PartitionGroupConfig,
    compute_groups,
    max_allowed_backup_count,
)
from gridproof_model.membership import Address, Member, MemberId

HOSTS = PartitionGroupConfig(GroupType.HOST_AWARE)
ZONES = PartitionGroupConfig(GroupType.ZONE_AWARE)
ATTRIBUTE_TYPES = [
    (GroupType.ZONE_AWARE, ZONE_ATTRIBUTE),
    (GroupType.NODE_AWARE, NODE_ATTRIBUTE),
    (GroupType.PLACEMENT_AWARE, PLACEMENT_ATTRIBUTE),
]
FOUR_NETWORKS = (("192.168.*.*",), ("172.16.*.*",), ("*.hazelcast.com",), ("www.hazelcast.org",))
EIGHT_HOSTS = [
    *("192.168.3.101", "192.168.3.102", "172.16.3.101", "172.16.3.102"),
    *("download.hazelcast.com", "jobs.hazelcast.com", "www.hazelcast.org", "www.hazelcast.org"),
]


def members_on(hosts: Iterable[str], *, lite: Sequence[int] = ()) -> list[Member]:
    """Members on these hosts, oldest first, each with a port of its own."""
    return [
        Member(MemberId(Address(host, 5701 + number), UUID(int=number + 1)), lite=number in lite)
        for number, host in enumerate(hosts)
    ]


def members_with(name: str, values: Iterable[str]) -> list[Member]:
    """Members that carry one attribute."""
    return [
        Member(member.id, attributes=((name, value),))
        for value, member in zip(values, members_on("abcdef"), strict=False)
    ]


def custom(*groups: Sequence[str]) -> PartitionGroupConfig:
    return PartitionGroupConfig(GroupType.CUSTOM, tuple(tuple(group) for group in groups))


def spi(strategy: GroupStrategy) -> PartitionGroupConfig:
    return PartitionGroupConfig(GroupType.SPI, spi=strategy)


def sizes(groups: Iterable[MemberGroup]) -> list[int]:
    return [len(group.members) for group in groups]


def hosts(groups: Iterable[MemberGroup]) -> list[list[str]]:
    return [[member.id.address.host for member in group.members] for group in groups]


def test_each_member_is_a_group_by_default() -> None:
    assert hosts(compute_groups(PartitionGroupConfig(), members_on("aab"))) == [["a"], ["a"], ["b"]]


def test_disabled_groups_are_per_member() -> None:
    disabled = PartitionGroupConfig(GroupType.HOST_AWARE, enabled=False)

    assert sizes(compute_groups(disabled, members_on("aab"))) == [1, 1, 1]


def test_no_member_is_no_group() -> None:
    for group_type in set(GroupType) - {GroupType.SPI}:
        assert compute_groups(PartitionGroupConfig(group_type), []) == ()


def test_16_members_on_8_hosts_are_8_pairs() -> None:
    assert sizes(compute_groups(HOSTS, members_on("abcdefgh" * 2))) == [2] * 8


def test_a_name_and_its_address_are_two_hosts() -> None:
    assert hosts(compute_groups(HOSTS, members_on(["localhost", "127.0.0.1"]))) == [["localhost"], ["127.0.0.1"]]


def test_four_networks_are_4_pairs() -> None:
    assert sizes(compute_groups(custom(*FOUR_NETWORKS), members_on(EIGHT_HOSTS))) == [2, 2, 2, 2]


def test_members_no_interface_means_own_nothing() -> None:
    groups = compute_groups(custom(*FOUR_NETWORKS[:2]), members_on(EIGHT_HOSTS))

    assert hosts(groups) == [EIGHT_HOSTS[:2], EIGHT_HOSTS[2:4]]


def test_where_nobody_is_meant_there_is_no_group() -> None:
    assert compute_groups(custom(["10.0.0.*"]), members_on(["10.0.1.1", "10.0.1.2"])) == ()


def test_the_first_group_that_means_a_member_takes_it() -> None:
    groups = compute_groups(custom(["10.0.0.2"], ["10.0.0.*"]), members_on(["10.0.0.1", "10.0.0.2"]))

    assert [(group.name, hosts([group])) for group in groups] == [
        ("group 1", [["10.0.0.2"]]),
        ("group 2", [["10.0.0.1"]]),
    ]


def test_the_groups_of_the_seed_take_their_networks() -> None:
    seed = custom(["10.10.0.*", "10.10.3.*", "10.10.5.*"], ["10.10.10.10-100", "10.10.1.*", "10.10.2.*"])
    members = members_on(["10.10.0.1", "10.10.10.100", "10.10.5.5", "10.10.2.2", "10.10.10.101"])

    assert hosts(compute_groups(seed, members)) == [["10.10.0.1", "10.10.5.5"], ["10.10.10.100", "10.10.2.2"]]


@pytest.mark.parametrize(("group_type", "attribute"), ATTRIBUTE_TYPES)
def test_three_values_of_an_attribute_are_3_groups(group_type: GroupType, attribute: str) -> None:
    groups = compute_groups(PartitionGroupConfig(group_type), members_with(attribute, "xyz"))

    assert [group.name for group in groups] == ["x", "y", "z"]


@pytest.mark.parametrize(("group_type", "attribute"), ATTRIBUTE_TYPES)
def test_members_of_one_value_are_split_in_two(group_type: GroupType, attribute: str) -> None:
    groups = compute_groups(PartitionGroupConfig(group_type), members_with(attribute, "xxxxx"))

    assert sizes(groups) == [3, 2]
    assert len({group.name for group in groups}) == 2


@pytest.mark.parametrize(("group_type", "attribute"), ATTRIBUTE_TYPES)
def test_a_member_without_the_attribute_is_named(group_type: GroupType, attribute: str) -> None:
    members = [*members_with(attribute, "xy"), *members_on(["10.0.0.9"])]

    with pytest.raises(
        GroupError, match=rf"^10\.0\.0\.9:5701/00000000 has no {attribute}.* by which {group_type} groups"
    ):
        compute_groups(PartitionGroupConfig(group_type), members)


def test_a_lite_member_needs_no_attribute() -> None:
    members = [*members_with(ZONE_ATTRIBUTE, "xy"), *members_on(["z"], lite=[0])]

    assert sizes(compute_groups(ZONES, members)) == [1, 1]


def test_a_zone_comes_before_a_rack_and_a_rack_before_a_host() -> None:
    everything = ((HOST_ATTRIBUTE, "h"), (RACK_ATTRIBUTE, "r"), (ZONE_ATTRIBUTE, "z"))
    members = [Member(m.id, attributes=everything[: 3 - n]) for n, m in enumerate(members_on("abc"))]

    assert [group.name for group in compute_groups(ZONES, members)] == ["z", "r", "h"]


def test_a_zone_and_a_rack_of_one_name_are_one_group() -> None:
    members = [
        Member(m.id, attributes=((attribute, value),))
        for m, (attribute, value) in zip(
            members_on("abc"), [(ZONE_ATTRIBUTE, "x"), (RACK_ATTRIBUTE, "x"), (ZONE_ATTRIBUTE, "y")], strict=True
        )
    ]

    assert hosts(compute_groups(ZONES, members)) == [["a", "b"], ["c"]]


def test_one_group_of_one_member_stays() -> None:
    assert sizes(compute_groups(HOSTS, members_on("a"))) == [1]


def test_two_groups_are_never_split() -> None:
    assert sizes(compute_groups(HOSTS, members_on("aaaaab"))) == [5, 1]


def test_per_member_groups_are_never_split() -> None:
    assert sizes(compute_groups(PartitionGroupConfig(), members_on("a"))) == [1]


def test_an_own_strategy_groups_members() -> None:
    by_port = spi(lambda members: [members[::2], members[1::2]])

    assert hosts(compute_groups(by_port, members_on("abcde"))) == [["a", "c", "e"], ["b", "d"]]


def test_an_own_strategy_sees_data_members_only() -> None:
    one_each = spi(lambda members: [[member] for member in members])

    assert hosts(compute_groups(one_each, members_on("abc", lite=[1]))) == [["a"], ["c"]]


def test_an_own_strategy_may_name_members_that_are_not_there() -> None:
    a, b, gone = members_on("abc")

    assert hosts(compute_groups(spi(lambda _: [[a, gone], [gone], [b]]), [a, b])) == [["a"], ["b"]]


def test_an_own_strategy_with_one_group_is_split() -> None:
    assert sizes(compute_groups(spi(lambda members: [members]), members_on("abc"))) == [2, 1]


def test_a_member_in_two_groups_is_refused() -> None:
    with pytest.raises(GroupError, match=r"puts a:5701/00000000 into both group 1 and group 3;"):
        compute_groups(spi(lambda members: [members, [], members]), members_on("ab"))


def test_what_is_no_member_is_refused() -> None:
    with pytest.raises(GroupError, match=r"puts 'a', which is no member, into group 2;"):
        compute_groups(spi(lambda members: [members, "a"]), members_on("ab"))  # type: ignore[list-item]


def test_a_strategy_that_fails_is_one_line() -> None:
    said = r"^the partition group strategy failed with ZeroDivisionError: .* zero; correct the strategy$"
    with pytest.raises(GroupError, match=said):
        compute_groups(spi(lambda members: [members[: 1 // 0]]), members_on("ab"))


def test_no_strategy_is_reported() -> None:
    with pytest.raises(GroupError, match="needs a strategy"):
        compute_groups(PartitionGroupConfig(GroupType.SPI), members_on("ab"))


@pytest.mark.parametrize(("groups", "backups"), [(0, 0), (1, 0), (2, 1), (7, 6), (8, 6), (100, 6)])
def test_groups_allow_so_many_backups(groups: int, backups: int) -> None:
    assert max_allowed_backup_count(groups) == backups


ATTRIBUTES = tuple((name, "x") for name in (HOST_ATTRIBUTE, NODE_ATTRIBUTE, PLACEMENT_ATTRIBUTE, RACK_ATTRIBUTE))
host_lists = st.lists(st.sampled_from(["10.0.0.1", "10.0.0.2", "10.0.1.1", "db.example.com", "::1"]), max_size=12)
configs = st.one_of(
    st.sampled_from([PartitionGroupConfig(group_type) for group_type in GroupType if group_type is not GroupType.SPI]),
    st.just(custom(["10.0.*.*", "10.0.0.1"], ["10.0.0.*", "*.com"])),
    st.integers(1, 4).map(lambda n: spi(lambda members: [members[start::n] for start in range(n)])),
)


@given(configs, host_lists, st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
def test_groups_are_disjoint_named_and_hold_data_members_only(
    config: PartitionGroupConfig, names: list[str], lite: set[int], leaving: set[int]
) -> None:
    members = [Member(m.id, m.lite, ATTRIBUTES) for m in members_on(names, lite=sorted(lite))]
    excluded = {member.id for number, member in enumerate(members) if number in leaving}
    groups = compute_groups(config, members, excluded)
    grouped = [member for group in groups for member in group.members]

    assert len(set(grouped)) == len(grouped)
    assert len({group.name for group in groups}) == len(groups)
    assert all(group.members for group in groups)
    assert {m.id for m in grouped} <= {m.id for m in members if not m.lite} - excluded
    assert all(list(group.members) == sorted(group.members, key=members.index) for group in groups)


@given(host_lists)
def test_host_aware_groups_are_the_hosts_unless_there_is_one(names: list[str]) -> None:
    groups = compute_groups(HOSTS, members_on(names))

    assert {name for group in hosts(groups) for name in group} == set(names)
    if len(set(names)) > 1:
        assert len(groups) == len(set(names))
        assert all(len(set(group)) == 1 for group in hosts(groups))
