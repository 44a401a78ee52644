"""A user's YAML and XML say the same."""

from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape, quoteattr

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gridproof_implementation.config import load_config
from gridproof_model.grid_config import BackupCounts, GridConfig, StructureKind
from gridproof_model.grid_properties import OPERATION_BACKUP_TIMEOUT
from gridproof_model.groups import GroupType, PartitionGroupConfig

CONFIGS = Path(__file__).parent / "configs"
SEED_GROUPS = (("10.10.0.*", "10.10.3.*", "10.10.5.*"), ("10.10.10.10-100", "10.10.1.*", "10.10.2.*"))


@pytest.fixture
def member() -> GridConfig:
    return load_config(CONFIGS / "member.yaml")


@pytest.mark.parametrize(
    "group_type", [GroupType.HOST_AWARE, GroupType.PER_MEMBER, GroupType.ZONE_AWARE, GroupType.NODE_AWARE]
)
def test_a_snippet_of_the_seed_loads_as_it_stands(group_type: GroupType) -> None:
    config = load_config(CONFIGS / f"seed_{group_type.lower()}.xml")

    assert config == GridConfig(partition_groups=PartitionGroupConfig(group_type))


@pytest.mark.parametrize("name", ["seed_custom.xml", "seed_custom.yaml"])
def test_the_custom_groups_of_the_seed_load_as_they_stand(name: str) -> None:
    assert load_config(CONFIGS / name).partition_groups == PartitionGroupConfig(GroupType.CUSTOM, SEED_GROUPS)


@pytest.mark.parametrize("name", ["member.xml", "member_prefixed.xml"])
def test_xml_says_what_yaml_says(name: str, member: GridConfig) -> None:
    assert load_config(CONFIGS / name) == member


def test_a_whole_configuration_is_read(member: GridConfig) -> None:
    assert member.cluster_name == "ledger"
    assert member.partition_count == 997
    assert member.properties.get(OPERATION_BACKUP_TIMEOUT) == 2500
    assert member.attributes == (("rack", "west"), ("shelf", "12"))
    assert not member.lite


def test_backup_counts_are_read(member: GridConfig) -> None:
    assert member.backups_of(StructureKind.MAP, "accounts-7") == BackupCounts(3, 1)
    assert member.backups_of(StructureKind.MAP, "orders") == BackupCounts(2, 0)
    assert member.backups_of(StructureKind.QUEUE, "jobs") == BackupCounts(1, 0)
    assert member.backups_of(StructureKind.RINGBUFFER, "events") == BackupCounts(1, 2)
    assert member.backups_of(StructureKind.CARDINALITY_ESTIMATOR, "visitors") == BackupCounts(0, 0)


def test_an_unknown_property_is_noted_with_its_line(member: GridConfig) -> None:
    path = CONFIGS / "member.yaml"

    assert f"{path}:31: property hazelcast.logging.type is kept but changes nothing here" in member.notes


def load_text(folder: Path, name: str, text: str) -> GridConfig:
    (folder / name).write_text(text, "utf-8")
    return load_config(folder / name)


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "A.YAML"])
def test_a_name_under_which_nothing_stands_says_nothing(tmp_path: Path, name: str) -> None:
    assert load_text(tmp_path, name, "hazelcast:\n  partition-group:\n  map:\n  properties:\n") == GridConfig()


def test_a_section_of_yaml_loads_without_its_root(tmp_path: Path) -> None:
    assert load_text(tmp_path, "a.yaml", "lite-member:\n  enabled: true\n").lite


def test_a_section_of_xml_loads_without_its_root(tmp_path: Path) -> None:
    xml = '<properties><property name="hazelcast.partition.count">5</property></properties>'

    assert load_text(tmp_path, "a.xml", xml).partition_count == 5


def test_dots_stand_for_settings_that_were_left_out(tmp_path: Path) -> None:
    xml = '<hazelcast>\n...\n<partition-group enabled="true" group-type="HOST_AWARE">…</partition-group></hazelcast>'

    assert load_text(tmp_path, "a.xml", xml).partition_groups == PartitionGroupConfig(GroupType.HOST_AWARE)
    assert load_text(tmp_path, "b.xml", "<hazelcast>...</hazelcast>") == GridConfig()


def test_another_encoding_of_xml_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes('<?xml version="1.0" encoding="iso-8859-1"?><cluster-name>Köln</cluster-name>'.encode("latin-1"))

    assert load_config(path).cluster_name == "Köln"


def test_groups_are_not_enabled_unless_it_is_said(tmp_path: Path) -> None:
    config = load_text(tmp_path, "a.xml", '<partition-group group-type="HOST_AWARE"/>')

    assert config.partition_groups.effective_type is GroupType.PER_MEMBER
    assert config.notes == (f"{tmp_path}/a.xml:1: partition-group is not enabled: every member is a group of its own",)


def test_interfaces_without_custom_are_noted(tmp_path: Path) -> None:
    text = "partition-group:\n  enabled: true\n  group-type: PER_MEMBER\n  member-group: [[10.0.0.*]]\n"

    (note,) = load_text(tmp_path, "a.yaml", text).notes

    assert note.endswith(":3: interfaces group members only where group-type is CUSTOM; here it is PER_MEMBER")


def test_what_a_yaml_file_refers_to_is_read_wherever_it_stands(tmp_path: Path) -> None:
    text = "map:\n  a: &two\n    backup-count: 2\n  b: *two\n"

    assert load_text(tmp_path, "a.yaml", text).backups_of(StructureKind.MAP, "b") == BackupCounts(2)


OTHER_SECTIONS = (
    *("instance-name", "license-key", "management-center", "wan-replication", "network", "executor-service"),
    *("durable-executor-service", "scheduled-executor-service", "replicatedmap", "topic", "reliable-topic"),
    *("listeners", "serialization", "security", "flake-id-generator", "pn-counter", "jet"),
    *("hot-restart-persistence", "persistence", "user-code-deployment", "cp-subsystem", "metrics", "auditlog", "sql"),
    *("instance-tracking", "native-memory", "crdt-replication", "advanced-network", "memcache-protocol", "rest-api"),
    *("integrity-checker", "external-data-store", "dynamic-configuration", "config-replacers", "vector-collection"),
)


@pytest.mark.parametrize("name", OTHER_SECTIONS)
def test_a_section_that_is_not_read_is_passed_over(tmp_path: Path, name: str) -> None:
    assert load_text(tmp_path, "a.yaml", f"hazelcast:\n  {name}:\n    setting: value\n") == GridConfig()


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
counts = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: sum(pair) <= 6)
documents = st.fixed_dictionaries(
    {
        "cluster-name": words,
        "lite-member": st.booleans(),
        "member-attributes": st.dictionaries(words, words, max_size=3),
        "map": st.dictionaries(words, counts, max_size=3),
        "interfaces": st.lists(
            st.lists(st.integers(0, 255).map(lambda n: f"10.{n}.*.1-9"), min_size=1, max_size=3), min_size=1, max_size=3
        ),
    }
)


@given(documents)
def test_any_configuration_is_the_same_in_yaml_and_in_xml(document: dict[str, object]) -> None:
    with TemporaryDirectory() as folder:
        config = load_text(Path(folder), "a.yaml", yaml.safe_dump(as_yaml(document), allow_unicode=True))

        assert load_text(Path(folder), "a.xml", as_xml(document)) == config
    assert config.cluster_name == document["cluster-name"]
    assert {s.name: (s.backups.sync, s.backups.asynchronous) for s in config.structures} == document["map"]


def as_yaml(document: dict[str, object]) -> dict[str, object]:
    match document:
        case {"map": dict(maps), "interfaces": groups, **others}:
            backups = {name: {"backup-count": sync, "async-backup-count": more} for name, (sync, more) in maps.items()}
            partition_group = {"enabled": True, "group-type": "CUSTOM", "member-group": groups}
            lite = {"enabled": others.pop("lite-member")}
            return {**others, "map": backups, "partition-group": partition_group, "lite-member": lite}
        case _:
            raise AssertionError(document)


def as_xml(document: dict[str, object]) -> str:
    match document:
        case {"map": dict(maps), "interfaces": list(groups), "member-attributes": dict(attributes), **others}:
            lines = [
                f"<cluster-name>{escape(str(others['cluster-name']))}</cluster-name>",
                f'<lite-member enabled="{str(others["lite-member"]).lower()}"/>',
                "<member-attributes>",
                *(f"<attribute name={quoteattr(k)}>{escape(v)}</attribute>" for k, v in attributes.items()),
                '</member-attributes><partition-group enabled="true" group-type="CUSTOM">',
                *(f"<member-group>{''.join(f'<interface>{i}</interface>' for i in g)}</member-group>" for g in groups),
                "</partition-group>",
                *(
                    f"<map name={quoteattr(name)}><backup-count>{sync}</backup-count>"
                    f"<async-backup-count>{more}</async-backup-count></map>"
                    for name, (sync, more) in maps.items()
                ),
            ]
            return f"<hazelcast>{''.join(lines)}</hazelcast>"
        case _:
            raise AssertionError(document)
