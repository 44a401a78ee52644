"""Every type of key, hashed by running members of Hazelcast and by us."""

import json
import math
import subprocess
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from gridproof_implementation.live.fetching import fetch_jars
from gridproof_model.hashing import murmur3
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_of
from gridproof_model.serialization import ByteOrder, serialize
from gridproof_properties.audits.boundary_keys import boundary_keys, random_keys
from tests.model.golden_keys import GOLDEN_KEYS
from tests.model.member_keys import FILE, read, recorded

VERSIONS = ("5.7.0", "5.3.8")
PARTITIONS = 271
EACH = 1_000
"""Random keys of each type, besides the boundary keys."""
TYPES = [kind for kind in KeyType if kind is not KeyType.RAW]
"""Raw bytes are no key that anybody can write."""
LIVE = Path(__file__).parents[2] / "implementation/gridproof_implementation/live"
SOURCES = (
    Path(__file__).parent / "hazelcast_loader/MemberKeys.java",
    *(
        LIVE / name
        for name in (
            "java/Json.java",
            "java/Agent.java",
            "systems/hazelcast/Extra.java",
        )
    ),
    Path(__file__).parents[1] / "conformance/hazelcast_keys/TypedKeys.java",
)
CHOSEN = (
    *(golden.key for golden in GOLDEN_KEYS if golden.key.type is not KeyType.RAW),
    *(Key(KeyType.DOUBLE, value) for value in (math.inf - math.inf, -math.nan, -0.0, 5e-324)),
    *(Key(KeyType.FLOAT, value) for value in (math.inf - math.inf, math.nan, -0.0)),
    *(Key(KeyType.STRING, text) for text in ("ab", "\ud800", "a\udfffb", "\ud83d\ude00", "\x00")),
    *(Key(KeyType.BIG_INTEGER, sign * 2**power) for power in (0, 7, 8, 15, 63, 64) for sign in (1, -1)),
    *(Key(KeyType.BIG_DECIMAL, Decimal(text)) for text in ("0", "-0", "1.50", "1E+3", "-12.8", "0E-9")),
    Key(
        KeyType.LIST, (None, Key(KeyType.STRING, ""), Key(KeyType.LIST, (Key(KeyType.BYTE, -1), Key(KeyType.LONG, 1))))
    ),
)
"""Keys that somebody thought of."""


@pytest.mark.nightly
@pytest.mark.parametrize("order", ByteOrder)
@pytest.mark.parametrize("version", VERSIONS)
def test_members_and_we_write_and_place_every_key_alike(version: str, order: ByteOrder, tmp_path: Path) -> None:
    keys = [key for key in keys_of(EACH) if version == "5.7.0" or not holds_floats_array_with_nan(key)]

    said = asked(version, order, keys, tmp_path)

    ours = [
        (serialize(key, order), murmur3(serialize(key, order)), partition_of(key, PARTITIONS, order=order))
        for key in keys
    ]
    assert len(keys) > EACH * 29
    assert [(str(key), one) for key, one in zip(keys, said, strict=True)] == [
        (str(key), one) for key, one in zip(keys, ours, strict=True)
    ]


@pytest.mark.nightly
def test_the_recorded_hashes_are_those_of_members(tmp_path: Path) -> None:
    rows = recorded()
    keys = [row.key for row in rows]

    hashes = [[found for _, found, _ in asked(VERSIONS[0], order, keys, tmp_path)] for order in ByteOrder]

    assert hashes == [[row.big for row in rows], [row.little for row in rows]]


def keys_of(each: int) -> Iterator[Key]:
    yield from CHOSEN
    for kind in TYPES:
        yield from islice(random_keys(kind, Random(f"member {kind}")), each)
        yield from (one.key for one in islice(boundary_keys(kind, PARTITIONS), each))


def holds_floats_array_with_nan(key: Key) -> bool:
    """Whether a key is or has a float array with a NaN: 5.3.8 writes one NaN for all, 5.7.0 each as it is."""
    return "float[]" in str(key) and "nan" in key.text


def asked(version: str, order: ByteOrder, keys: Sequence[Key], folder: Path) -> list[tuple[bytes, int, int]]:
    """Return payload, hash and partition by a running member."""
    (jar,) = fetch_jars(f"com.hazelcast:hazelcast:{version}")
    if not (folder / "MemberKeys.class").exists():
        words = ["javac", "-nowarn", "-cp", str(jar), "-d", str(folder), *map(str, SOURCES)]
        subprocess.run(words, capture_output=True, check=True, timeout=120)
    lines = "".join(json.dumps(key.written) + "\n" for key in keys)
    words = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", f"{folder}:{jar}", "MemberKeys", order.value]
    done = subprocess.run(words, input=lines, capture_output=True, text=True, check=True, timeout=300)
    rows = [line.split(" ") for line in done.stdout.splitlines()]
    return [(bytes.fromhex(payload), int(found), int(partition)) for payload, found, partition in rows]


def record() -> None:
    """Write the hashes of some keys of every type."""
    keys = [read(json.loads(json.dumps(key.written))) for key in keys_of(16)]
    with TemporaryDirectory() as folder:
        big, little = ([one[1] for one in asked(VERSIONS[0], order, keys, Path(folder))] for order in ByteOrder)
    rows = zip([key.written for key in keys], big, little, strict=True)
    FILE.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    record()
