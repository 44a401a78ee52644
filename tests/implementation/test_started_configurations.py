"""What members of Hazelcast refuse to start with, our readers refuse."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gridproof_implementation.config import load_config
from gridproof_implementation.config.document import ConfigError
from gridproof_implementation.live.maven import fetch_jars
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
@pytest.mark.parametrize("version", ["5.3.8", "5.7.0"])
def test_members_start_with_the_examples_that_they_ship_and_we_read_them(version: str, tmp_path: Path) -> None:
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    files = [file for file in examples_of(jar, tmp_path) if "default" in file.name or "custom" in file.name]

    assert files
    assert {one["step"] for one in started(version, files, tmp_path)} == {"fine"}
    assert all(load_config(file, variables=VARIABLES) for file in files)


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
