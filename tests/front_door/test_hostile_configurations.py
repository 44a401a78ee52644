"""Configurations that nobody wrote: whole ones, damaged.

Each is followed, with what is taken and passed over said, or refused in one line that names the file.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front_door.command_line import CommandLine, Outcome
from tests.front_door.hostile import CALM, try_one
from tests.profiles import examples

YAML = b"""\
hazelcast:
  partition-group:
    enabled: true
    group-type: CUSTOM
    member-group:
      - [10.0.0.*]
      - - 10.0.1.1-99
  map:
    default:
      backup-count: 1
    m:
      async-backup-count: 1
      merge-policy:
        class-name: PassThroughMergePolicy
        batch-size: 100
  split-brain-protection:
    two:
      enabled: true
      minimum-cluster-size: 2
  lite-member:
    enabled: false
  properties:
    hazelcast.partition.count: 3
    hazelcast.operation.backup.timeout.millis: 2500
"""
XML = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<hazelcast xmlns="urn:example:config">
  <partition-group enabled="true" group-type="HOST_AWARE"/>
  <map name="default">
    <backup-count>1</backup-count>
    <read-backup-data>true</read-backup-data>
  </map>
  <map name="m">
    <async-backup-count>1</async-backup-count>
    <split-brain-protection-ref>two</split-brain-protection-ref>
  </map>
  <split-brain-protection name="two" enabled="true">
    <minimum-cluster-size>2</minimum-cluster-size>
  </split-brain-protection>
  <properties>
    <property name="hazelcast.partition.count">3</property>
    <property name="hazelcast.max.no.heartbeat.seconds">60</property>
  </properties>
</hazelcast>
"""
WHOLE = {"yaml": YAML, "xml": XML}
"""Small grids, so that following one takes a moment."""
PLACE = st.floats(0, 1, exclude_max=True)
TEXTS: tuple[bytes, ...] = (
    b"", b" ", b"0", b"-1", b"1", b"6", b"7", b"271", b"99999999999999999999", b"1e9", b"0x10", b"0o17", b"1_000",
    b"nan", b".inf", b"true", b"yes", b"~", b"null", b"[]", b"{}", b"[1, [2, [3]]]", b"{a: {b: c}}", b"&a [*a]",
    b"*b", b"!!python/none", b"<<: {a: 1}", b"? [a]", b"- a", b"---", b"...", b"%TAG", b"\t", b"|", b">", b"'", b'"',
    b"#", b"\x00", b"\xff\xfe", b"\x1b[31m", b"\xc3\xa9", b"a" * 5000, b"${x}", b"${x:1}", b"${", b"import: [a.yaml]",
    b"import:\n    - \"../../etc/x.yaml\"", b"10.0.0.*", b"10.0.*.1-9", b"10.0.0.0/8", b"::1", b"HOST_AWARE",
    b"ZONE_AWARE", b"CUSTOM", b"SPI", b"NODE_AWARE", b"host-aware", b"<a/>", b"</a>", b"<a", b"&lt;", b"&x;",
    b"<!-- -->", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<![CDATA[1]]>", b"<import resource='a.xml'/>", b"hazelcast:",
    b"hazelcast-client:", b"map:", b"default:", b"backup-count: 3", b"async-backup-count: 4", b"backup-count: 7",
    b"properties:", b"partition-group:", b"enabled: true", b"group-type: CUSTOM", b"hazelcast.partition.count: 0",
    b"hazelcast.partition.count: 1000001", b"hazelcast.operation.backup.timeout.millis: -5", b"lite-member:",
    b"<property name='hazelcast.partition.count'>0</property>", b"<property>1</property>", b"<map name='*'/>",
)  # fmt: skip
"""What is put into a file, in the place of something or beside it."""
Damage = Callable[..., bytes]


def drop_line(content: bytes, place: float) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(line for number, line in enumerate(lines) if number != int(place * len(lines)))


def repeat_line(content: bytes, place: float) -> bytes:
    lines = content.splitlines(keepends=True)
    number = int(place * len(lines))
    return b"".join([*lines[: number + 1], *lines[number:]])


def cut_off(content: bytes, place: float) -> bytes:
    return content[: int(place * len(content))]


def indent(content: bytes, place: float) -> bytes:
    lines = content.splitlines(keepends=True)
    number = int(place * len(lines))
    return b"".join([*lines[:number], *(b"  " + line for line in lines[number : number + 1]), *lines[number + 1 :]])


def insert_line(content: bytes, place: float, text: bytes) -> bytes:
    """Put a line of its own in, as far from the edge as the line after it."""
    lines = content.splitlines(keepends=True)
    number = int(place * len(lines))
    after = lines[number] if lines else b""
    edge = after[: len(after) - len(after.lstrip(b" "))]
    return b"".join([*lines[:number], edge + text + b"\n", *lines[number:]])


def replace_value(content: bytes, place: float, text: bytes) -> bytes:
    """Put something else where a line has its value."""
    lines = content.splitlines(keepends=True)
    number = int(place * len(lines))
    if number >= len(lines):
        return text
    line = lines[number]
    if b">" in line and b"</" in line:
        line = line[: line.index(b">") + 1] + text + line[line.rindex(b"</") :]
    elif b":" in line:
        line = line[: line.index(b":") + 1] + b" " + text + b"\n"
    else:
        line = text + b"\n"
    return b"".join([*lines[:number], line, *lines[number + 1 :]])


def overwrite(content: bytes, place: float, byte: int) -> bytes:
    position = int(place * len(content))
    return content[:position] + bytes([byte]) + content[position + 1 :]


DAMAGES: st.SearchStrategy[tuple[Any, ...]] = st.one_of(
    st.tuples(st.sampled_from([drop_line, repeat_line, cut_off, indent]), PLACE),
    st.tuples(st.sampled_from([insert_line, replace_value]), PLACE, st.sampled_from(TEXTS)),
    st.tuples(st.just(overwrite), PLACE, st.integers(0, 255)),
)
OPTIONS = st.lists(
    st.sampled_from([("--map", "default"), ("--map", "m"), ("--set", "x=1"), ("--backups", "2")]),
    max_size=2,
    unique_by=lambda option: option[0],
)
DRAWN = st.tuples(st.sampled_from(list(WHOLE)), st.lists(DAMAGES, min_size=1, max_size=4), OPTIONS)
Drawn = tuple[str, Sequence[Any], Sequence[tuple[str, str]]]


def try_configuration(gridproof: CommandLine, folder: Path, drawn: Drawn) -> None:
    """Damage a file, follow it, and hold what is said against what every command owes."""
    kind, damages, options = drawn
    content = WHOLE[kind]
    for damage, *arguments in damages:
        content = damage(content, *arguments)
    words = [word for option in options for word in option]
    done = follow(gridproof, folder / f"damaged.{kind}", content, words)
    if done.status == 2 and not words:
        assert f"damaged.{kind}" in done.err, done.err


def follow(gridproof: CommandLine, file: Path, content: bytes, words: Sequence[str]) -> Outcome:
    file.write_bytes(content)
    return try_one(gridproof, file.parent, ["simulate", "--runs", "1", "--config", str(file), *words])


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_damaged_is_whole_before(gridproof: CommandLine, tmp_path: Path, kind: str) -> None:
    done = follow(gridproof, tmp_path / f"whole.{kind}", WHOLE[kind], [])

    assert (done.status, done.err) == (3, "")


@settings(max_examples=examples(40, nightly=3_000), suppress_health_check=CALM)
@given(drawn=DRAWN)
def test_a_damaged_configuration_is_followed_or_refused(gridproof: CommandLine, tmp_path: Path, drawn: Drawn) -> None:
    try_configuration(gridproof, tmp_path, drawn)
