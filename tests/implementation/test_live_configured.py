"""What real members are given of a user's configuration."""

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters.hazelcast import FIXED
from gridproof_implementation.live.configured import group_of_next, property_flags
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import PropertySet
from gridproof_model.groups import GroupType, PartitionGroupConfig

ZONE = "hazelcast.partition.group.zone"


def grouped(kind: GroupType, *, hosts: tuple[str, ...] = (), **about: object) -> Options:
    """Return options whose configuration groups members so."""
    groups = PartitionGroupConfig(kind, **about)  # type: ignore[arg-type]
    return Options(config=GridConfig(partition_groups=groups), hosts=hosts)


def test_without_groups_each_member_is_one_of_its_own() -> None:
    assert group_of_next(Options(), 0) is None
    assert group_of_next(grouped(GroupType.PER_MEMBER), 0) is None


def test_hosts_are_given_to_members_in_turn() -> None:
    options = grouped(GroupType.HOST_AWARE, hosts=("a", "b"))

    assert [group_of_next(options, number) for number in range(3)] == ["a", "b", "a"]


def test_without_hosts_each_member_is_on_one_of_its_own() -> None:
    options = grouped(GroupType.HOST_AWARE)

    assert len({group_of_next(options, number) for number in range(3)}) == 3


def test_interfaces_decide_by_the_host_a_member_would_have() -> None:
    masks = (("10.0.0.*",), ("10.0.1.*",))
    options = grouped(GroupType.CUSTOM, hosts=("10.0.1.7", "10.0.0.7"), member_groups=masks)

    assert [group_of_next(options, number) for number in range(2)] == ["group 2", "group 1"]


def test_a_host_that_no_group_means_is_one_line() -> None:
    options = grouped(GroupType.CUSTOM, hosts=("10.9.0.1",), member_groups=(("10.0.0.*",),))

    with pytest.raises(AdapterError, match=r"no member-group matches 10\.9\.0\.1"):
        group_of_next(options, 0)


def test_zones_come_from_attributes() -> None:
    config = GridConfig(partition_groups=PartitionGroupConfig(GroupType.ZONE_AWARE))
    options = Options(config=config, attributes=(((ZONE, "east"),), ((ZONE, "west"),)))

    assert [group_of_next(options, number) for number in range(3)] == ["east", "west", "east"]


def test_a_member_without_its_attribute_is_one_line() -> None:
    with pytest.raises(AdapterError, match=r"member 1 has no hazelcast\.partition\.group\.zone"):
        group_of_next(grouped(GroupType.ZONE_AWARE), 1)


def test_a_strategy_of_the_users_own_is_refused() -> None:
    with pytest.raises(AdapterError, match="audit the reference"):
        group_of_next(grouped(GroupType.SPI), 0)


def test_properties_become_flags_but_for_those_that_an_audit_fixes() -> None:
    texts = {"hazelcast.operation.backup.timeout.millis": "900", "hazelcast.phone.home.enabled": "true"}
    options = Options(config=GridConfig(properties=PropertySet.of(texts)))

    flags = property_flags(options, {"phone.home.enabled"})

    assert flags == ["-Dhazelcast.operation.backup.timeout.millis=900"]


def test_hazelcast_stays_silent_whatever_a_file_says() -> None:
    texts = {f"hazelcast.{name}": "true" for name in FIXED if name != "partition.count"}
    options = Options(config=GridConfig(properties=PropertySet.of(texts)))

    assert property_flags(options, FIXED) == []
