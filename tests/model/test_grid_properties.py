"""Properties of a grid, and what a text means there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.grid_properties import (
    FAIL_ON_INDETERMINATE_STATE,
    GRID_PROPERTIES,
    GROUP_STRATEGY,
    MAX_PARALLEL_MIGRATIONS,
    MAX_PARALLEL_REPLICATIONS,
    NUMBERS,
    PARTITION_COUNT,
    SWITCHES,
    TABLE_SEND_INTERVAL,
    TEXTS,
    PropertyError,
    PropertySet,
    Unit,
)

DOCUMENTED = {
    "hazelcast.partition.count": 271,
    "hazelcast.partition.table.send.interval": 15,
    "hazelcast.partition.migration.interval": 0,
    "hazelcast.partition.migration.timeout": 300,
    "hazelcast.partition.migration.fragments.enabled": True,
    "hazelcast.partition.migration.chunks.enabled": True,
    "hazelcast.partition.migration.chunks.max.migrating.data.in.mb": 250,
    "hazelcast.partition.max.parallel.migrations": 10,
    "hazelcast.partition.max.parallel.replications": 10,
    "hazelcast.partition.backup.sync.interval": 30,
    "hazelcast.partition.rebalance.after.member.left.delay.seconds": 0,
    "hazelcast.partition.migration.stale.read.disabled": False,
    "hazelcast.partitioning.strategy.class": "",
    "hazelcast.graceful.shutdown.max.wait": 600,
    "hazelcast.max.no.heartbeat.seconds": 60,
    "hazelcast.heartbeat.interval.seconds": 5,
    "hazelcast.mastership.claim.timeout.seconds": 120,
    "hazelcast.member.list.publish.interval.seconds": 60,
    "hazelcast.operation.call.timeout.millis": 120_000,
    "hazelcast.operation.backup.timeout.millis": 5_000,
    "hazelcast.operation.fail.on.indeterminate.state": False,
    "hazelcast.merge.first.run.delay.seconds": 300,
    "hazelcast.merge.next.run.delay.seconds": 120,
    "hazelcast.operation.thread.count": 2,
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_property_has_its_default(name: str) -> None:
    assert GRID_PROPERTIES[name].default == DOCUMENTED[name]
    assert type(GRID_PROPERTIES[name].default) is type(DOCUMENTED[name])


def test_no_property_is_declared_twice() -> None:
    assert len(GRID_PROPERTIES) == len(NUMBERS) + len(SWITCHES) + len(TEXTS)


def test_a_default_is_a_value_the_property_can_have() -> None:
    for known in GRID_PROPERTIES.values():
        assert known.read(str(known.default)) == known.default


def test_a_unit_in_a_name_is_the_unit() -> None:
    endings = {"millis": Unit.MILLISECONDS, "seconds": Unit.SECONDS, "mb": Unit.MEGABYTES}

    assert [p.name for p in NUMBERS if p.unit is not endings.get(p.name.split(".")[-1], p.unit)] == []


def test_what_is_not_set_has_its_default() -> None:
    assert PropertySet().get(PARTITION_COUNT) == 271


@given(st.integers(1, 10**6))
def test_a_number_is_read(count: int) -> None:
    assert PropertySet.of({"hazelcast.partition.count": f" {count} "}).get(PARTITION_COUNT) == count


@pytest.mark.parametrize(("text", "value"), [("true", True), ("FALSE", False), (" True ", True)])
def test_a_switch_is_read(text: str, value: bool) -> None:
    assert PropertySet.of({FAIL_ON_INDETERMINATE_STATE.name: text}).get(FAIL_ON_INDETERMINATE_STATE) is value


def test_a_text_is_read_without_the_spaces_around_it() -> None:
    assert PropertySet.of({GROUP_STRATEGY.name: " racks:by_row\n"}).get(GROUP_STRATEGY) == "racks:by_row"


@pytest.mark.parametrize("text", ["0", "-1", "-100"])
def test_a_table_is_never_sent_more_often_than_every_second(text: str) -> None:
    assert PropertySet.of({TABLE_SEND_INTERVAL.name: text}).get(TABLE_SEND_INTERVAL) == 1


def test_replications_run_in_parallel_as_migrations_do_unless_stated() -> None:
    migrations = {MAX_PARALLEL_MIGRATIONS.name: "3"}

    assert PropertySet.of(migrations).get(MAX_PARALLEL_REPLICATIONS) == 3
    assert PropertySet.of(migrations | {MAX_PARALLEL_REPLICATIONS.name: "7"}).get(MAX_PARALLEL_REPLICATIONS) == 7


@pytest.mark.parametrize("text", ["", "many", "2.5", "1_000", "0x10", "٣", "²", "1 2", "9" * 5000])
def test_what_is_no_number_is_refused_by_name(text: str) -> None:
    with pytest.raises(PropertyError, match=r"^property hazelcast\.partition\.count is .* must be a whole number$"):
        PropertySet.of({"hazelcast.partition.count": text})


def test_a_number_too_small_is_refused_by_name() -> None:
    with pytest.raises(PropertyError, match=r"^property hazelcast\.partition\.count is 0; it must be at least 1$"):
        PropertySet.of({"hazelcast.partition.count": "0"})


def test_a_number_too_large_for_java_is_refused_by_name() -> None:
    with pytest.raises(PropertyError, match=r"count is 2147483648; it must be at most 2147483647$"):
        PropertySet.of({"hazelcast.partition.count": "2147483648"})


def test_what_is_neither_true_nor_false_is_refused_by_name() -> None:
    with pytest.raises(PropertyError, match=r'indeterminate\.state is "yes"; it must be true or false$'):
        PropertySet.of({FAIL_ON_INDETERMINATE_STATE.name: "yes"})


def test_an_unknown_property_is_kept_and_noted() -> None:
    properties = PropertySet.of({"hazelcast.logging.type": "slf4j"})

    assert properties.text("hazelcast.logging.type") == "slf4j"
    assert properties.notes == ("property hazelcast.logging.type is kept but changes nothing here",)


def test_a_misspelt_property_is_noted_with_the_right_word() -> None:
    (note,) = PropertySet.of({"hazelcast.partition.cuont": "100"}).notes

    assert note.endswith("; did you mean hazelcast.partition.count?")


def test_a_known_property_is_not_noted() -> None:
    assert PropertySet.of({name: str(known.default) for name, known in GRID_PROPERTIES.items()}).notes == ()
