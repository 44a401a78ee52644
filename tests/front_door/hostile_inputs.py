"""What nobody should give a command, and what is said of it.

A catalogue: a line to type, and a part of the one line that answers it. The files that it names are made by
`write_hostile_files`.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet

from gridproof_implementation.trace import write_trace
from gridproof_model.trace import RunRecord

LONG = "x" * 300


@dataclass(frozen=True, slots=True)
class HostileInput:
    """One line, and a part of what is said."""

    line: str
    said: str


def _line(**fields: object) -> str:
    return json.dumps(fields) + "\n"


def _head(**other: object) -> str:
    known = {"run": "a", "system": "x", "version": "1", "seed": 0, "partition_count": 3, "backup_count": 1}
    return _line(**({"record": "run", **known, "format_version": 2} | other))


def _row(**other: object) -> str:
    known = {"run": "a", "view": 0, "partition": 0, "version": None, "slots": [0, 1]}
    return _line(**({"record": "row", **known} | other))


TRACES: Mapping[str, str | bytes] = {
    "empty.jsonl": "",
    "text.jsonl": "hello\n",
    "half.jsonl": '{"record":"run","run":',
    "kind.jsonl": _line(record="dream"),
    "up.jsonl": _head(run="../../x"),
    "absolute.jsonl": _head(run="/etc/x"),
    "nul.jsonl": _head(run="a\0b"),
    "nameless.jsonl": _head(run=""),
    "negative.jsonl": _head(partition_count=-1),
    "fraction.jsonl": _head(partition_count=2.5),
    "backups.jsonl": _head(backup_count=-1),
    "future.jsonl": _head(format_version=99),
    "past.jsonl": _head(format_version=1),
    "twice.jsonl": _head() * 2,
    "key-twice.jsonl": _head().replace("{", '{"record": "run", ', 1),
    "headless.jsonl": _row(),
    "list.jsonl": "[]\n",
    "deep.jsonl": "[" * 100_000 + "\n",
    "infinite.jsonl": _head() + "1e999\n",
    "nan.jsonl": _head() + "NaN\n",
    "bom.jsonl": b"\xef\xbb\xbf" + _head().encode(),
    "latin.jsonl": _head().encode() + b"\xff\xfe\n",
    "zeros.jsonl": bytes(4096),
    "stray.jsonl": _head() + _row(),
    "big.jsonl": _head() + _row(version=10**40),
    "slots.jsonl": _head() + _row(slots="all"),
    "trace.txt": "x",
    "log.jsonl": _line(a=1),
}
CONFIGURATIONS: Mapping[str, str | bytes] = {
    "unclosed.yaml": "hazelcast: [\n",
    "bomb.xml": '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><hazelcast><map name="&b;"/></hazelcast>',
    "secrets.xml": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><hazelcast/>',
    "bomb.yaml": "a: &a [x, x]\nhazelcast: {map: {x: *a}}\n",
    "empty.yaml": "",
    "other.yaml": "spring: {a: 1}\n",
    "many.yaml": "hazelcast:\n  properties:\n    hazelcast.partition.count: 1000000\n",
    "seven.yaml": "hazelcast:\n  map:\n    default:\n      backup-count: 7\n",
    "fewer.yaml": "hazelcast:\n  map:\n    default:\n      backup-count: -1\n",
    "planets.yaml": "hazelcast:\n  partition-group:\n    enabled: true\n    group-type: PLANET_AWARE\n",
    "loop.yaml": "hazelcast:\n  import: [loop.yaml]\n",
    "code.yaml": "hazelcast: !!python/object/apply:os.system ['touch owned']\n",
    "tab.yaml": "hazelcast:\n\tmap: {}\n",
    "deep.yaml": "hazelcast: " + "{a: " * 2_000 + "1" + "}" * 2_000 + "\n",
    "cut.xml": "<hazelcast><map",
    "zones.yaml": "hazelcast:\n  partition-group:\n    enabled: true\n    group-type: ZONE_AWARE\n",
    "good.yaml": "hazelcast:\n  map:\n    default:\n      backup-count: 2\n",
}
OTHERS: Mapping[str, str | bytes] = {
    "leaves.py": "raise SystemExit(0)\n",
    "syntax.py": "def (\n",
    "number.py": "ADAPTER = SPEC = 1\n",
    "endless.py": "def f():\n    return f()\n\n\nf()\n",
    "empty.json": "{}",
    "cut.json": "[1",
    "words.toml": "runs = 'x'\n",
    "cut.toml": "[[",
    "known.txt": "full-rows maybe reference\n",
    "full/x": "1",
}


def write_hostile_files(folder: Path) -> None:
    """Make every file that the catalogue names."""
    for name, content in {**TRACES, **CONFIGURATIONS, **OTHERS, "good.jsonl": _head()}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "hollow.parquet").mkdir()
    (folder / "wrong.parquet").mkdir()
    (folder / "wrong.parquet" / "run.parquet").write_text("no")
    _write_parquet(folder / "null.parquet", _with_a_null_position)
    _write_parquet(folder / "damaged.parquet", _with_another_byte)
    (folder / "round.jsonl").symlink_to("round.jsonl")
    os.mkfifo(folder / "pipe.jsonl")


def _write_parquet(path: Path, damage: Callable[[Path], None]) -> None:
    """Write a trace of one record, and damage its file."""
    with write_trace(path) as trace:
        trace.write(RunRecord("a", "reference", "1", 0, 1, 1))
    damage(path / "run.parquet")


def _with_a_null_position(path: Path) -> None:
    rows = parquet.read_table(path)
    null = pyarrow.array([None], pyarrow.int64())
    parquet.write_table(rows.set_column(rows.column_names.index("position"), "position", null), path)


def _with_another_byte(path: Path) -> None:
    """Alter what the first column holds, which ends where the second begins; the footer stays whole."""
    content = bytearray(path.read_bytes())
    content[parquet.read_metadata(path).row_group(0).column(1).dictionary_page_offset - 1] ^= 0xFF
    path.write_bytes(content)


INPUTS: tuple[HostileInput, ...] = tuple(
    HostileInput(*parts)
    for parts in (
        # Traces
        ("audit empty.jsonl", "the file is empty"),
        ("audit text.jsonl", "text.jsonl:1: not a line of JSON"),
        ("audit half.jsonl", "half.jsonl:1: the last line is cut off"),
        ("audit kind.jsonl", '"dream" is no kind of record'),
        ("audit up.jsonl", 'a run is called "../../x"'),
        ("audit absolute.jsonl", 'a run is called "/etc/x"'),
        ("audit nul.jsonl", r'a run is called "a\x00b"'),
        ("audit nameless.jsonl", 'a run is called ""'),
        ("audit negative.jsonl", "partition_count must be a whole number from 1 to 16,777,216, found -1"),
        ("audit fraction.jsonl", "partition_count must be a whole number from 1 to 16,777,216, found 2.5"),
        ("audit backups.jsonl", "backup_count must be a whole number from 0 to"),
        ("audit future.jsonl", "format_version is 99, but this gridproof reads 2"),
        ("audit past.jsonl", "this gridproof reads 2; judge the trace with the version of gridproof"),
        ("audit twice.jsonl", 'run "a" begins a second time'),
        ("audit key-twice.jsonl", 'the key "record" appears twice in this line'),
        ("audit headless.jsonl", "the first record must be a run record"),
        ("audit list.jsonl", "a line must be one JSON object, found []"),
        ("audit deep.jsonl", "deep.jsonl:1: not a line of JSON"),
        ("audit infinite.jsonl", "infinite.jsonl:2: a line must be one JSON object, found inf"),
        ("audit nan.jsonl", "JSON has only finite numbers, not NaN"),
        ("audit bom.jsonl", "bom.jsonl:1: the line begins with a byte order mark"),
        ("audit latin.jsonl", "latin.jsonl:2: byte 1 is not UTF-8 text"),
        ("audit zeros.jsonl", "zeros.jsonl:1: the last line is cut off"),
        ("audit stray.jsonl", "a row of view 0 comes before any view"),
        ("audit big.jsonl", "version must be a whole number of at most 64 bits"),
        ("audit slots.jsonl", 'slots must be a list of member numbers or null, found "all"'),
        ("audit trace.txt", "trace.txt:1: the last line is cut off"),
        ("audit hollow.parquet", "no run.parquet in this directory"),
        ("audit wrong.parquet", "not a whole Parquet file"),
        ("audit null.parquet", "null.parquet/run.parquet: record 1: its position is null"),
        ("audit damaged.parquet", "damaged.parquet/run.parquet: not a whole Parquet file"),
        ("audit round.jsonl", "no such file or directory"),
        ("audit pipe.jsonl", "is neither a file nor a folder"),
        ("audit nothing.jsonl", "no such file or directory"),
        ("audit good.jsonl good.jsonl", "was named twice"),
        ("audit good.jsonl --out full", "full is not empty"),
        ("audit good.jsonl --baseline known.txt", "the result must be broken or unknown, not 'maybe'"),
        ("audit good.jsonl --only full-row", "did you mean full-rows?"),
        ("audit good.jsonl --junit full", "full is no ordinary file"),
        ("validate good.jsonl --specification dreams", "traces cannot be validated against 'dreams'"),
        ("validate log.jsonl --table number.py:SPEC", "number.py:SPEC names no observation table"),
        ("report full", "full holds no trace.jsonl or trace.parquet"),
        ("report nothing", "nothing: no such folder"),
        # Configurations
        ("check --config unclosed.yaml", "unclosed.yaml:2: not YAML"),
        ("check --config bomb.xml", "document types and entities are not read"),
        ("check --config secrets.xml", "document types and entities are not read"),
        ("check --config bomb.yaml", 'map "x" must hold settings'),
        ("check --config empty.yaml", "the file is empty"),
        ("check --config other.yaml", '"spring" is no configuration of a Hazelcast member'),
        ("check --config many.yaml", "hazelcast.partition.count is 1,000,000; at most 10,000 partitions"),
        ("check --config seven.yaml", 'seven.yaml:4: map "default": 7 sync and 0 async backups are 7'),
        ("check --config fewer.yaml", "async backups: both must be 0 or more"),
        ("check --config planets.yaml", 'group-type "PLANET_AWARE" is unknown'),
        ("check --config loop.yaml", "leads back to a file that imports this one"),
        ("check --config code.yaml", "hazelcast must hold settings"),
        ("check --config tab.yaml", "tab.yaml:2: not YAML"),
        ("check --config deep.yaml", "nested more than 64 deep"),
        ("check --config cut.xml", "not XML: unclosed token"),
        ("check --config zones.yaml", "give --zones a,b,c"),
        ("check --config good.yaml --set a", "--set a: write NAME=VALUE"),
        ("check --config good.yaml --hosts 10.0.0.0/24", '"10.0.0.0/24" stands for many hosts'),
        ("check --config nothing.yaml", "nothing.yaml"),
        ("check --hosts ,,", "--hosts ,,: a name is empty"),
        # Adapters
        ("check --system nosuch", "no system is called 'nosuch'"),
        ("check --system ..:x", "importing it raised TypeError"),
        ("check --system leaves.py:ADAPTER", "importing it raised SystemExit"),
        ("check --system syntax.py:ADAPTER", "importing it raised SyntaxError"),
        ("check --system endless.py:ADAPTER", "importing it raised RecursionError"),
        ("check --system number.py:ADAPTER", "is a int, not an Adapter"),
        ("check --system json:dumps", "json:dumps is a function, not an Adapter"),
        ("adapter new full", "full exists already"),
        # Numbers, names, folders
        ("check --members 1000000", "at most 100 members are audited at once"),
        ("check --members 0", "a grid has at least one member"),
        ("check --members 3.5", "invalid int value: '3.5'"),
        ("check --backups 7", "a partition has 0 to 6 backups"),
        ("check --backups -1", "a partition has 0 to 6 backups"),
        ("check --seed 9223372036854775808", "at most 4,611,686,018,427,387,904"),
        ("check --time-limit nan", "write a number of seconds above 0"),
        ("check --fail-on worst", "invalid choice: 'worst'"),
        ("check --out full", "full is not empty"),
        (f"check --out {LONG}", "File name too long"),
        ("check --runs 1", "name it with --system"),
        ("check --scenario empty.json", "name it with --system"),
        ("simulate --runs -1", "--runs must be at least 1"),
        ("simulate --workers 100000", "write a number of processes from 1 to 256"),
        ("simulate --seed 9223372036854775808", "at most 4,611,686,018,427,387,904"),
        ("simulate --faults sun", "no fault is called 'sun'"),
        ("simulate --workload dance", "no workload is called 'dance'"),
        ("simulate --members 1000000", "--members 1000000: write a whole number from 1 to 50"),
        ("simulate --rate crash=1/0s", "a rate must be above 0"),
        ("simulate --out full", "full is not empty"),
        ("replay 99999999999999999999", "is too large; write a seed of at most 9223372036854775807"),
        (f"replay {'9' * 6_000}", "is too large; write a seed of at most 9223372036854775807"),
        ("replay cut.json", "is not JSON"),
        ("replay empty.json", "is no story of gridproof"),
        ("explain 7 --prefixes 0", "write a whole number from 3 to 1,000"),
        ("explore nosuch", "no specification is called 'nosuch'"),
        ("explore number.py:SPEC", "number.py:SPEC names no specification"),
        ("explore replication --set writes=99999999999999999999", "needs over 62 bits"),
        ("explore replication --set mail_capacity=1000000 --memory 100", "but the limit is 10,000"),
        ("explore replication --members 2", "backups < members must hold"),
        ("explore replication --memory 0", "--memory 0: write a number of MiB, at least 1"),
        ("prove leaves.py:SPEC", "leaves.py:1: the module raised SystemExit: 0; correct the module"),
        ("campaign words.toml", "runs is 'x'; write a whole number from 1 to 10,000,000"),
        ("campaign cut.toml", "is not TOML"),
        ("study full", "is no folder of a campaign"),
        ("suite zoo M99", "did you mean M39?"),
        ("suite zoo M01 --budget nan", "--budget must be more than 0 seconds"),
        ("suite reach --runs 0", "--runs must be at least 1"),
        ("papers nosuch", "no paper is called 'nosuch'"),
        ("story nosuch", "no story is called 'nosuch'"),
        ("completion csh", "invalid choice: 'csh'"),
        ("nosuch", "invalid choice: 'nosuch'"),
    )
)
"""By what they are about: traces, configurations, adapters, numbers, names and folders."""
