"""Every mistake in a configuration is one line.

It says the file and the line, what is wrong, and the cure.
"""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_implementation.config import ConfigError, load_config
from gridproof_implementation.config.document import SETTINGS_MAX, SettingError
from gridproof_implementation.config.hazelcast_files import read_xml, read_yaml

GROUP = "partition-group:\n  enabled: true\n"
CUSTOM = f"{GROUP}  group-type: CUSTOM\n"
TYPES = "PER_MEMBER, HOST_AWARE, CUSTOM, ZONE_AWARE, NODE_AWARE, PLACEMENT_AWARE, SPI"

YAML_MISTAKES = {
    "": "1: the file is empty; a configuration begins with hazelcast:",
    "- a": "1: the file holds no settings with names; a configuration begins with hazelcast:",
    "a: [": "1: not YAML: expected the node content, but found '<stream end>'",
    "a: 1\n---\nb: 2": "2: not YAML: but found another document",
    "a: \x07": "1: not YAML: unacceptable character #x0007: special characters are not allowed",
    "a: &a [*a]": "1: settings are nested more than 64 deep, or hold themselves; mend them",
    "[a]: 1": "1: the name of a setting must be a text",
    "other: 1": '1: "other" is no configuration of a Hazelcast member; that begins with hazelcast',
    "hazlecast:\n": '1: "hazlecast" is no configuration of a Hazelcast member; did you mean hazelcast?',
    "hazelcast: 3": "1: hazelcast must hold settings, each with a name",
    "hazelcast:\n  partiton-group: 1": '2: hazelcast has no setting "partiton-group"; did you mean partition-group?',
    "cluster-name: a\ncluster-name: b": "2: cluster-name is set twice, first in line 1; remove one",
    "cluster-name: [a]": "1: cluster-name must be a text, not a list or a section",
    f'{CUSTOM}  member-group: [["${{net}}"]]': ('4: an interface is "${net}"; write the value, or fill it with --set'),
    "kind: ConfigMap\napiVersion: v1\ndata:\n  hazelcast.yaml: |\n    hazelcast:": (
        "4: this is a ConfigMap; save the text of hazelcast.yaml under data as a file, and give that file"
    ),
    "kind: ConfigMap\napiVersion: v1\ndata:\n  a: b": (
        "1: this ConfigMap has no file under data that ends in .yaml or .xml"
    ),
    "kind: Deployment\napiVersion: apps/v1": (
        "1: a Kubernetes resource (Deployment) is no configuration of a Hazelcast member"
    ),
    "apiVersion: hazelcast.com/v1alpha1\nkind: Hazelcast\nspec:\n  clusterSize: 3": (
        "1: this is a resource of Hazelcast's operator (Hazelcast), which makes the configuration of members from it; "
        "give that configuration, from the secret or ConfigMap that the operator wrote"
    ),
    "kind: Service\n---\nkind: ConfigMap": (
        "2: the file holds several resources of Kubernetes; save the text that a ConfigMap holds under hazelcast.yaml "
        "as a file"
    ),
    "image:\n  tag: a\nhazelcast:\n  enabled: true\n  yaml:\n    hazelcast:\n      cluster-name: a": (
        "6: these are values of a Helm chart; save the configuration under hazelcast, yaml as a file"
    ),
    "hazelcast:\n  javaOpts: -Xmx1G": (
        "2: these are values of a Helm chart (javaOpts); give a member's configuration, from hazelcast, yaml"
    ),
    "hazelcast-client:\n  cluster-name: a": (
        "1: hazelcast-client configures a client; give the configuration of a member"
    ),
    "a: &a 1\nmap:\n  <<: *a": "1: << must name a section of settings, or a list of such sections",
    f"{GROUP}  group-type: ZONEAWARE": '3: group-type "ZONEAWARE" is unknown; did you mean ZONE_AWARE?',
    f"{GROUP}  group-type: RACK": f'3: group-type "RACK" is unknown; it is one of {TYPES}',
    f"{GROUP}  groups: CUSTOM": '3: partition-group has no setting "groups"; it has enabled, group-type, member-group',
    f"{GROUP}  grouptype: SPI": '3: partition-group has no setting "grouptype"; did you mean group-type?',
    "partition-group:\n  enabled: yes": '2: enabled of partition-group is "yes"; it must be true or false',
    "partition-group: CUSTOM": "1: partition-group must hold settings, each with a name",
    CUSTOM: "3: group-type CUSTOM has no member-group, so no member would own a partition; add one",
    f"{CUSTOM}  member-group: 10.0.0.*": "4: member-group must be a list",
    f"{CUSTOM}  member-group: [10.0.0.*]": '4: member-group 1 is "10.0.0.*"; it must be a list of interfaces',
    f"{CUSTOM}  member-group: [{{a: b}}]": "4: member-group 1 must be a list",
    f"{CUSTOM}  member-group:\n    - [a]\n    - []": "6: member-group 2 has no interface; add one or remove the group",
    f"{CUSTOM}  member-group:\n    - [a, [b]]": "5: an interface must be a text, not a list or a section",
    f"{CUSTOM}  member-group:\n    - - 10.0.0.*\n      - 10.10.*": (
        '6: interface "10.10.*" has 3 parts; an IPv4 interface has 4; did you mean 10.10.*.*?'
    ),
    f"{CUSTOM}  member-group: [[10.10.0.300]]": (
        "4: interface \"10.10.0.300\" has the part '300'; a part is 0 to 255, * or a range such as 10-100"
    ),
    "properties:\n  hazelcast.partition.count: many": (
        '2: property hazelcast.partition.count is "many"; it must be a whole number'
    ),
    "properties:\n  hazelcast.partition.count: 0": "2: property hazelcast.partition.count is 0; it must be at least 1",
    "properties:\n  a: 1\n  a: 2": '3: property "a" is set twice, also in line 2; drop one',
    "properties:\n  a: [1]": "2: property a must be a text, not a list or a section",
    "map:\n  a:\n    backup-count: 7": (
        '3: map "a": 7 sync and 0 async backups are 7 in all; a partition has at most 6 backups, so set fewer'
    ),
    "queue:\n  a:\n    backup-count: -1": '3: queue "a": -1 sync and 0 async backups: both must be 0 or more',
    "map:\n  a:\n    backup-count: two": '3: backup-count of map "a" is "two"; it must be a whole number from 0 to 6',
    "map:\n  a:\n    backup-cuont: 1": '3: map "a" has no setting "backup-cuont"; did you mean backup-count?',
    "map:\n  backup-count: 1": "2: a map has the setting backup-count but no name; name it, such as default",
    "map:\n  a:\n  a:": '3: map "a" is set twice, also in line 2; drop one',
    "lite-member: true": "1: lite-member must hold settings, each with a name",
    "lite-member:\n  enable: true": '2: lite-member has no setting "enable"; did you mean enabled?',
    "member-attributes:\n  a:\n    type: string": '2: member attribute "a" has no value',
    "member-attributes:\n  a:\n    text: b": '3: member attribute "a" has no setting "text"; it has type, value',
}
XML_MISTAKES = {
    "": "1: not XML: no element found",
    "<hazelcast>\n<map>\n</hazelcast>": "3: not XML: mismatched tag",
    "<hazelcast-client/>": "1: hazelcast-client configures a client; give the configuration of a member",
    "<beans xmlns:hz='h'>\n<hz:hazelcast>\n<hz:config>\n<hz:map name='a'/></hz:config></hz:hazelcast></beans>": (
        "3: these are beans of Spring; save the content of <hz:config> as <hazelcast>"
    ),
    "<beans><bean id='a'/></beans>": "1: these are beans of Spring; no <hz:config> is among them",
    '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>': (
        "2: document types and entities are not read; write the text itself"
    ),
    "<!DOCTYPE hazelcast>\n<hazelcast/>": "1: document types and entities are not read; write the text itself",
    '<?xml version="1.0" encoding="klingon"?><a/>': "1: not XML: unknown encoding: klingon",
    "<a>" * 100: "1: settings are nested more than 64 deep; nest them less",
    '<partition-group enabled="true"\n group-type="ZONE-AWARE"/>': (
        '1: group-type "ZONE-AWARE" is unknown; did you mean ZONE_AWARE?'
    ),
    "<partition-group>\n<member-group>10.0.0.*</member-group></partition-group>": (
        '2: member-group is the text "10.0.0.*"; write <interface>10.0.0.*</interface>'
    ),
    "<partition-group>\n<member-group>\n<interfce>a</interfce></member-group></partition-group>": (
        '3: member-group has no setting "interfce"; did you mean interface?'
    ),
    "<properties>\n<propery name='a'>b</propery></properties>": (
        '2: properties has no setting "propery"; did you mean property?'
    ),
    "<properties>\n<property>b</property></properties>": "2: a property of properties has no name; give it one",
    "<map><backup-count>1</backup-count></map>": (
        "1: a map has the setting backup-count but no name; name it, such as default"
    ),
    "<hazelcast>\n<map name='a'>\n<backup-count>9</backup-count></map></hazelcast>": (
        '3: map "a": 9 sync and 0 async backups are 9 in all; a partition has at most 6 backups, so set fewer'
    ),
    "<partition-group><member-group>\n<interface>10.0.\n0.1</interface></member-group></partition-group>": (
        '2: interface "10.0. 0.1" has a space in it; write each interface by itself'
    ),
}


def complaint(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value)


@pytest.mark.parametrize("text", YAML_MISTAKES)
def test_a_mistake_in_yaml_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hazelcast.yaml"
    path.write_text(text)

    assert complaint(path) == f"{path}:{YAML_MISTAKES[text]}"


@pytest.mark.parametrize("text", XML_MISTAKES)
def test_a_mistake_in_xml_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hazelcast.xml"
    path.write_text(text)

    assert complaint(path) == f"{path}:{XML_MISTAKES[text]}"


def test_a_text_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "hazelcast.yaml"
    path.write_bytes(b"cluster-name: a\n# K\xf6ln\n")

    assert complaint(path) == f"{path}:2: the text is no UTF-8; save it as UTF-8"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    assert complaint(tmp_path / "a.yaml") == f"{tmp_path}/a.yaml: cannot be read: No such file or directory"


def test_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.xml").mkdir()

    assert complaint(tmp_path / "a.xml") == f"{tmp_path}/a.xml: cannot be read: Is a directory"


def test_a_file_of_another_kind_is_one_line() -> None:
    assert complaint(Path("hazelcast.properties")) == (
        "hazelcast.properties: the file name of a configuration must end in one of .yaml, .yml, .xml"
    )


def test_an_enormous_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with path.open("wb") as file:
        file.truncate(17 * 1024 * 1024)

    large = "larger than 1,048,576 bytes; make it smaller"
    assert complaint(path) == f"{path}: this file, with any files that import it, is {large}"


def test_an_endless_value_is_not_repeated_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"lite-member:\n  enabled: {'x' * 10_000}")

    assert complaint(path).removeprefix(f"{path}:").startswith('2: enabled of lite-member is "xxx')
    assert len(complaint(path)) < 1_000


def test_deep_brackets_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("[" * 10_000)

    assert complaint(path) == f"{path}:1: settings are nested more than 64 deep; nest them less"


def test_a_billion_laughs_are_one_line(tmp_path: Path) -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 30)]
    path = tmp_path / "a.yaml"
    path.write_text("l0: &l0 ha\n" + "\n".join(levels))

    assert complaint(path).startswith(f'{path}:1: "l0" is no configuration')


@given(st.text("hazelcst:-[]{}&*!|>'\"#%@`?, \n\t<=/1", max_size=60))
def test_no_text_is_a_traceback(text: str) -> None:
    for read in (read_yaml, read_xml):
        with suppress(SettingError):
            read(text.encode())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "hazelcast:\n" + "".join(f"  k{number}: 1\n" for number in range(SETTINGS_MAX))),
        ("a.yaml", "a: &x0\n  k: 1\n" + "".join(f"x{n}: &x{n}\n  k{n}: 1\n  <<: *x{n - 1}\n" for n in range(1, 300))),
        ("a.yaml", f"hazelcast:\n  map:\n    a: &a [{'x,' * 200}]\n    b: [{'*a,' * SETTINGS_MAX}]\n"),
        ("a.xml", f"<hazelcast>{'<map/>' * SETTINGS_MAX}</hazelcast>"),
        ("a.xml", "<hazelcast " + " ".join(f"a{number}='1'" for number in range(SETTINGS_MAX)) + "/>"),
    ],
    ids=["names", "merges", "aliases", "elements", "attributes"],
)
def test_more_settings_than_any_configuration_has_are_refused(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert complaint(path).endswith(": the file has more than 20,000 settings; write fewer into one file")


@pytest.mark.parametrize("above", ["hazelcast", "my-grid", "backend"])
def test_values_of_an_umbrella_chart_say_where_the_configuration_is(tmp_path: Path, above: str) -> None:
    path = tmp_path / "values.yaml"
    path.write_text(f"global: {{}}\n{above}:\n  hazelcast:\n    yaml:\n      hazelcast:\n        cluster-name: a\n")

    assert complaint(path) == (
        f"{path}:5: these are values of a Helm chart; save the configuration under {above}, hazelcast, yaml as a file"
    )


def test_a_configuration_deep_in_another_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "values.yaml"
    path.write_text("backend:\n  cache:\n    hazelcast:\n      cluster-name: x\n")

    assert "; one is in line 4, under backend, cache, hazelcast: save that as a file" in complaint(path)
