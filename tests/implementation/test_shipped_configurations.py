"""The examples that Hazelcast ships, read by its own loader and by ours.

They stand in its jars, and are fetched with them.
"""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from gridproof_implementation.config import load_config
from gridproof_implementation.live.fetching import fetch_jars
from gridproof_model.grid_config import GridConfig

pytestmark = pytest.mark.nightly

VERSIONS = {"3.12.13": 4, "4.2.8": 4, "5.3.8": 10, "5.7.0": 10}
"""How many configurations of members each ships."""
HERE = Path(__file__).parent / "hazelcast_loader"
JSON = HERE.parents[2] / "implementation/gridproof_implementation/live/java/Json.java"
IMPORTED = {
    "your-configuration-XML-file": '<hazelcast xmlns="http://www.hazelcast.com/schema/config"/>',
    "your-configuration-YAML-file": "hazelcast: {}\n",
}
"""Files that the full examples import, and that users are to have."""
USERS_FILES = re.compile(r"/etc/hazelcast/(\w+/)*\w+\.(jar|zip|class)")
VARIABLES = {"custom.cluster.name": "ours"}


@pytest.mark.parametrize("version", VERSIONS)
def test_both_read_the_same(version: str, tmp_path: Path) -> None:
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    files = examples_of(jar, tmp_path)

    theirs = read_by_hazelcast(jar, files, tmp_path)

    assert len(files) == VERSIONS[version]
    assert [as_we_read(load_config(file, variables=VARIABLES)) for file in files] == [as_they_read(t) for t in theirs]


def examples_of(jar: Path, folder: Path) -> Sequence[Path]:
    """Unpack the configurations of members, with what they import."""
    for name, text in IMPORTED.items():
        (folder / name).write_text(text)
    files = []
    with ZipFile(jar) as packed:
        for name in sorted(packed.namelist()):
            if name.startswith("hazelcast-") and "client" not in name and name.endswith((".xml", ".yaml")):
                text = USERS_FILES.sub(str(jar), packed.read(name).decode())
                (folder / name).write_text(text)
                files.append(folder / name)
    return files


def read_by_hazelcast(jar: Path, files: Sequence[Path], folder: Path) -> Sequence[Mapping[str, Any]]:
    """Return what its own loader reads in each file."""
    variables = [f"-D{name}={value}" for name, value in VARIABLES.items()]
    words = ["java", *variables, "-cp", f"{reader_of(jar, folder)}:{jar}", "ReadConfig", *map(str, files)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def reader_of(jar: Path, folder: Path) -> Path:
    words = ["javac", "-nowarn", "-cp", str(jar), "-d", str(folder), str(HERE / "ReadConfig.java"), str(JSON)]
    subprocess.run(words, capture_output=True, check=True)
    return folder


def as_we_read(config: GridConfig) -> Mapping[str, Any]:
    groups = config.partition_groups
    return {
        "cluster": config.cluster_name,
        "lite": config.lite,
        "properties": dict(config.properties.texts),
        "groups": (groups.enabled, groups.type.name, [sorted(group) for group in groups.member_groups]),
        "structures": {
            (one.kind.value, one.name): (
                one.backups.sync,
                one.backups.asynchronous,
                one.merge_policy,
                None if one.protection is None else one.protection.minimum_members,
            )
            for one in config.structures
        },
    }


def as_they_read(read: Mapping[str, Any]) -> Mapping[str, Any]:
    groups = read["groups"]
    return {
        "cluster": read["cluster"],
        "lite": read["lite"],
        "properties": read["properties"],
        "groups": (groups["enabled"], groups["type"], [sorted(group) for group in groups["members"]]),
        "structures": {
            (one["kind"], one["name"]): (
                one["sync"],
                one["async"],
                one["policy"].rpartition(".")[2],
                one.get("guard_members"),
            )
            for one in read["structures"]
        },
    }
