"""What members of Hazelcast refuse to start with, our readers refuse."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from gridproof_implementation.config import load_config
from gridproof_implementation.config.document import ConfigError
from gridproof_implementation.live.fetching import fetch_jars
from tests.implementation.started_configurations import CONFIGURATIONS, FILE, said
from tests.implementation.test_shipped_configurations import VARIABLES, examples_of

VERSIONS = ("5.7.0", "5.3.8")
HERE = Path(__file__).parent / "hazelcast_loader"
JSON = HERE.parents[2] / "implementation/gridproof_implementation/live/java/Json.java"


STRICTER = {
    "groups-custom-without-group.yaml": "no member would own a partition (docs/choices.md)",
    "groups-spi-without-strategy.yaml": "there is no strategy to run",
    "partition-count-0.yaml": "no key has a partition",
    "byte-order-little.yaml": "keys would be on other partitions than here",
    "xml-byte-order-little.xml": "the same",
    "xml-native-order.xml": "the same",
}
"""What we refuse and members do not, and why."""
MILDER = {
    "map-native.yaml": "members of the Enterprise Edition have it",
    "near-cache-native.yaml": "the same",
    "own-policy-map.yaml": "the class may be on the user's class path; a note says that it is not followed",
}
"""What we read and these members refuse, and why."""
NOT_HERE = ("requires Hazelcast Enterprise Edition", "No matching network interface found")
"""Why these members refuse an example that others start with."""
LICENSED = (
    "persistence hot-restart-persistence hot-restart data-persistence license-key security wan-replication "
    "native-memory user-code-namespaces user-code-namespace tiered-store ssl symmetric-encryption auditlog "
    "local-device tpc cp-subsystem dynamic-configuration persistence-enabled lossless-restart-enabled"
)
WITH_CLASSES = (
    "serialization listeners entry-listeners item-listeners message-listeners membership-listeners partition- "
    "lost-listeners cache-entry-listeners map-store queue-store ringbuffer-store function-class-name expiry- "
    "policy-factory cache-loader cache-loader-factory cache-writer cache-writer-factory"
)
ELSEWHERE = (
    "import network advanced-network member-attributes partition-group instance-tracking data-connection lite-member"
)
OF_OTHERS = frozenset(f"{LICENSED} {WITH_CLASSES} {ELSEWHERE}".split())
"""What of the full example a lone member of the open edition cannot start with."""


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_what_members_refuse_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(CONFIGURATIONS[name])
    steps = {said()[version][name] for version in VERSIONS}

    if name in STRICTER or (steps != {"fine"} and name not in MILDER):
        with pytest.raises(ConfigError) as refusal:
            load_config(file)
        assert str(refusal.value).startswith(f"{file}:")
        assert "\n" not in str(refusal.value)
    else:
        load_config(file)


@pytest.mark.nightly
@pytest.mark.parametrize("version", VERSIONS)
def test_members_say_what_is_recorded(version: str, tmp_path: Path) -> None:
    found = started(version, written(tmp_path), tmp_path)

    assert {name: one["step"] for name, one in zip(CONFIGURATIONS, found, strict=True)} == said()[version]
    assert len(found) > 80


@pytest.mark.nightly
@pytest.mark.parametrize("version", VERSIONS)
def test_members_start_with_the_examples_that_they_ship_and_we_read_them(version: str, tmp_path: Path) -> None:
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    files = examples_of(jar, tmp_path)

    # each in a process of its own: in one with nine others the last meets a port in use on 5.3.8, and alone it does not
    found = {file.name: one for file in files for one in started(version, [file], tmp_path)}

    refused = {name: one["why"] for name, one in found.items() if one["step"] != "fine"}
    assert len(found) - len(refused) == 6
    assert {name: why for name, why in refused.items() if not any(words in why for words in NOT_HERE)} == {}
    assert all(load_config(file, variables=VARIABLES) for file in files)


@pytest.mark.nightly
@pytest.mark.parametrize("version", VERSIONS)
def test_members_start_with_what_of_the_full_example_needs_nothing_else(version: str, tmp_path: Path) -> None:
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    (file,) = [one for one in examples_of(jar, tmp_path) if one.name == "hazelcast-full-example.yaml"]
    file.write_text(yaml.safe_dump(without_others(yaml.safe_load(file.read_text())), sort_keys=False))

    (found,) = started(version, [file], tmp_path)

    assert found["step"] == "use", found  # it starts; three members are to be there before a map is used
    load_config(file, variables=VARIABLES)


def without_others(found: Any) -> Any:
    """Return a section without what a licence, a class of the user or another process is needed for."""
    match found:
        case dict():
            kept = {name: one for name, one in found.items() if name not in OF_OTHERS}
            return {name: without_others(one) for name, one in kept.items() if not is_of_classes(name, one)}
        case list():
            return [without_others(one) for one in found]
        case _:
            return found


def is_of_classes(name: str, section: object) -> bool:
    """Whether a section names extractors, by attribute; that of an index is a list of names."""
    return name == "attributes" and isinstance(section, dict)


def started(version: str, files: Sequence[Path], folder: Path) -> Sequence[Mapping[str, Any]]:
    """Return of each file at which step a member refused it, or that it is fine."""
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    sources = [str(HERE / "StartConfig.java"), str(JSON)]
    subprocess.run(["javac", "-nowarn", "-cp", str(jar), "-d", str(folder), *sources], check=True, timeout=120)
    words = ["java", "-Xmx512m", "-cp", f"{folder}:{jar}", "StartConfig", *map(str, files)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True, timeout=1_200)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def written(folder: Path) -> Sequence[Path]:
    files = [folder / name for name in CONFIGURATIONS]
    for file in files:
        file.write_text(CONFIGURATIONS[file.name])
    return files


def record() -> None:
    """Write what members say."""
    found = {}
    for version in VERSIONS:
        with TemporaryDirectory() as folder:
            answers = started(version, written(Path(folder)), Path(folder))
        found[version] = {name: one["step"] for name, one in zip(CONFIGURATIONS, answers, strict=True)}
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    record()
