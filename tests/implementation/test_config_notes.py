"""What a file says without effect is reported."""

from pathlib import Path

import pytest

from gridproof_implementation.config import load_config
from gridproof_model.grid_config import BackupCounts, GridConfig, ProtectOn, SplitBrainProtection, StructureKind

NOTES = {
    "map:\n  a:\n    split-brain-protection-ref: two\n": (
        '3: split-brain-protection-ref of map "a" is "two", which is not configured, so nothing is refused; '
        "add it under split-brain-protection"
    ),
    "map:\n  a:\n    near-cache:\n      name: b\n": (
        '3: near-cache of map "a" changes nothing here: reads go to the members, never to a near cache'
    ),
    "map:\n  a:\n    eviction:\n      size: 5\n": (
        '3: eviction of map "a" changes nothing here: entries are never evicted'
    ),
    "map:\n  a:\n    time-to-live-seconds: 5\n": (
        '3: time-to-live-seconds of map "a" changes nothing here: entries do not expire'
    ),
    "map:\n  a:\n    map-store:\n      enabled: true\n      class-name: Store\n": (
        '3: map-store of map "a" changes nothing here: nothing is loaded or stored; what a crash takes from all copies '
        "is lost"
    ),
    "map:\n  a:\n    read-backup-data: true\n": (
        '3: read-backup-data of map "a" changes nothing here: an audit reads through the owner; `gridproof simulate` '
        "has runs that read from backups"
    ),
    "map:\n  a:\n    indexes: [b]\n    statistics-enabled: true\n": (
        '3: indexes, statistics-enabled of map "a" are not read'
    ),
    "persistence:\n  enabled: true\nmap:\n": (
        "1: persistence changes nothing here: members here keep everything in memory, and lose it with their process"
    ),
    "map:\njet:\n  instance:\n    backup-count: 2\n": (
        "2: jet changes nothing here: stream jobs run with their own defaults; its backup-count is not used, their "
        "maps keep 1 backup"
    ),
    "map:\ndurable-executor-service:\n  a:\n    durability: 2\n": (
        "2: durable-executor-service changes nothing here: executors are no part of the reference; their durability is "
        "not tried"
    ),
    "map:\nreplicatedmap:\n  a:\n    async-fillup: true\n": (
        "2: replicatedmap changes nothing here: a replicated map is no part of the reference; it is not tried"
    ),
    "map:\ncp-subsystem:\n  cp-member-count: 3\n": (
        "2: cp-subsystem changes nothing here: CP structures follow another protocol (Raft), which is no part of the "
        "reference"
    ),
    "map:\nsecurity:\n  enabled: true\n": "2: security changes nothing here: it is not read",
    "lite-member:\n  enabled: true\n": (
        "2: lite-member changes nothing here: who is a lite member is the run's own choice"
    ),
}
SILENT = (
    "map:\n  a:\n    time-to-live-seconds: 0\n    near-cache:\n      enabled: false\n",
    "persistence:\n  enabled: false\nmap:\n",
)


def load(folder: Path, text: str, name: str = "a.yaml", **variables: str) -> GridConfig:
    (folder / name).write_text(text)
    return load_config(folder / name, variables=variables)


@pytest.mark.parametrize("text", NOTES)
def test_what_changes_nothing_is_noted(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).notes == (f"{tmp_path}/a.yaml:{NOTES[text]}",)


@pytest.mark.parametrize("text", SILENT)
def test_what_is_off_needs_no_note(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).notes == ()


def test_what_takes_effect_is_reported_with_its_line(tmp_path: Path) -> None:
    text = (
        "properties:\n  hazelcast.partition.count: 5\nmap:\n  a:\n    backup-count: 2\n"
        "partition-group:\n  enabled: true\n  group-type: HOST_AWARE\nmember-attributes:\n  b: c\n"
    )
    assert load(tmp_path, text).taken == (
        f"{tmp_path}/a.yaml:2: hazelcast.partition.count = 5",
        f'{tmp_path}/a.yaml:4: map "a": 2 sync and 0 async backups',
        f"{tmp_path}/a.yaml:8: partition groups HOST_AWARE",
        f'{tmp_path}/a.yaml:10: member attribute "b" = c',
    )


def test_a_variable_is_filled(tmp_path: Path) -> None:
    text = "properties:\n  hazelcast.partition.count: ${count}1\n"

    assert load(tmp_path, text, count="7").partition_count == 71


def test_a_variable_without_a_value_is_noted_and_its_setting_not_set(tmp_path: Path) -> None:
    config = load(tmp_path, "cluster-name: ${a}\nmap:\n  b:\n    backup-count: ${c}\n")

    assert (config.cluster_name, config.backups_of(StructureKind.MAP, "b")) == ("dev", BackupCounts())
    assert config.notes[1] == (
        f"{tmp_path}/a.yaml:4: ${{c}} has no value, so the setting counts as not set; fill it with --set c=VALUE"
    )


def test_a_value_that_fills_nothing_is_noted(tmp_path: Path) -> None:
    assert "--set b fills nothing" in load(tmp_path, "map:\n", b="1").notes[0]


def test_names_of_3_x_are_read(tmp_path: Path) -> None:
    xml = (
        '<hazelcast>\n<group><name>old</name></group>\n<quorum name="q" enabled="true">\n<quorum-size>3</quorum-size>'
        '<quorum-type>WRITE</quorum-type></quorum>\n<map name="a"><quorum-ref>q</quorum-ref></map></hazelcast>'
    )
    config = load(tmp_path, xml, "a.xml")

    (a,) = config.structures
    assert (config.cluster_name, a.protection) == ("old", SplitBrainProtection("q", 3, ProtectOn.WRITE))
    assert config.notes[1] == f'{tmp_path}/a.xml:3: quorum "q" of 3.x is read as split-brain-protection'


def test_yaml_merges_what_is_referred_to(tmp_path: Path) -> None:
    text = "map:\n  a: &a\n    backup-count: 2\n    async-backup-count: 1\n  b:\n    <<: *a\n    backup-count: 3\n"

    assert load(tmp_path, text).backups_of(StructureKind.MAP, "b") == BackupCounts(3, 1)


def test_xml_that_repeats_itself_is_one(tmp_path: Path) -> None:
    xml = (
        "<hazelcast><map name='a'><backup-count>2</backup-count></map>"
        "<map name='a'><async-backup-count>1</async-backup-count></map>"
        "<properties><property name='hazelcast.partition.count'>5</property></properties>"
        "<properties><property name='hazelcast.partition.count'>7</property></properties></hazelcast>"
    )
    config = load(tmp_path, xml, "a.xml")

    assert (config.backups_of(StructureKind.MAP, "a"), config.partition_count) == (BackupCounts(2, 1), 7)
