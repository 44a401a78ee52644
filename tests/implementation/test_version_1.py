"""Traces of version 1 become traces of this version."""

import json
from pathlib import Path

import pytest

from gridproof_implementation.trace import TraceError, TraceFormat, read_trace
from gridproof_implementation.trace.version_1 import convert_trace, event_of
from gridproof_model.events import Event
from gridproof_model.events.anti_entropy import SummarySent
from gridproof_model.events.conditions import Configured, CopiesEnded, FaultBegun, FaultEnded
from gridproof_model.events.harness import (
    BoundaryUnreachable,
    JobAsked,
    JobSeen,
    KeyRefused,
    NotOffered,
    Remark,
    ResourcesHeld,
    RunEnded,
    Settled,
    Unsettled,
)
from gridproof_model.events.invocation import CallEnded, MultiPartitionCallEnded
from gridproof_model.events.jobs import ItemSent, SourceSaved
from gridproof_model.events.membership import ClusterFounded
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.words import CallOfSeveralEnding, Failure, Guarantee, WhyRowChanged
from gridproof_model.migration import MigrationKind
from gridproof_model.trace import FORMAT_VERSION, EventRecord, RunRecord, VerdictRecord

HEAD = {
    "record": "run", "run": "old", "system": "simulated reference", "version": "0.1.0", "seed": 1, "partition_count": 2,
    "backup_count": 1, "format_version": 1,
}  # fmt: skip
EXECUTED = "partition=0 namespace=map:m operation=Put caller=1 call_id=7 versions=[1,0] changed=true told=[1] acks=1"
CONDITIONS = (
    "sync_backups=1 async_backups=0 strict=true stale_reads=false arranged=true backup_timeout_ms=5000 "
    "call_timeout_ms=120000 steps=false"
)
ORDERED = (
    'master=0 number=1 partition=1 kind="shift up, replacing" primary=0 destination=2 slot=1 left_slot=- source=3 '
    "lower_slot=2 initial_version=5"
)


@pytest.mark.parametrize(
    ("name", "text", "event"),
    [
        (
            "row-installed",
            "partition=1 version=2 slots=[0,-,2] why=planned",
            RowInstalled(1, 2, (0, None, 2), WhyRowChanged.PLANNED),
        ),
        ("executed", EXECUTED, Executed(0, "map:m", "Put", 1, 7, (1, 0), True, (1,), 1)),
        (
            "migration-ordered",
            ORDERED,
            MigrationOrdered(0, 1, 1, MigrationKind.SHIFT_UP_REPLACING, 0, 2, 1, None, 3, 2, 5),
        ),
        (
            "call-ended",
            'invocation=3 how="member left" answered_by=0 confirmed=0',
            CallEnded(3, Failure.MEMBER_LEFT, 0, 0),
        ),
        ("cluster-founded", "", ClusterFounded()),
        (
            "summary-sent",
            'partition=0 index=1 to=2 versions=[[map:m,3],["a b",0]]',
            SummarySent(0, 1, 2, (("map:m", 3), ("a b", 0))),
        ),
        ("source-saved", "job=counts snapshot=2 offsets=[[0,4],[1,5]]", SourceSaved("counts", 2, ((0, 4), (1, 5)))),
        ("item-told", "job=counts partition=1 shard=0 number=9", ItemSent("counts", 1, 0, 9)),
        ("sweep-ended", "invocation=4 how=answered", MultiPartitionCallEnded(4, CallOfSeveralEnding.ANSWERED)),
        ("configured", CONDITIONS, Configured(1, 0, True, False, True, 5_000, 120_000, False)),
        (
            "fault",
            'fault=pause harms=[trust] members=[0,2] told="two members pause"',
            FaultBegun("pause", ("trust",), (0, 2), "two members pause"),
        ),
        (
            "healed",
            'fault=pause told="two members pause"',
            FaultEnded("pause", "two members pause"),
        ),
        ("copies-ended", "member=3 primaries=[0,4] backups=[]", CopiesEnded(3, (0, 4), ())),
        ("settled", "at rest", Settled("at rest")),
        ("unsettled", "rest 1: a slot to be filled: 3", Unsettled("rest 1", "a slot to be filled: 3")),
        ("resources", "settled=true calls=0 attempts=2", ResourcesHeld(True, (("calls", 0), ("attempts", 2)))),
        (
            "job-asked",
            'job=counts guarantee="exactly once" strict=true shards=3 items=5 owed=[key-0:2:3]',
            JobAsked("counts", Guarantee.EXACTLY_ONCE, True, 3, 5, (("key-0", 2, 3),)),
        ),
        (
            "job-seen",
            "job=counts confirmed=false status=completed totals=[key-0:2:3,key-1:0:0]",
            JobSeen("counts", False, "completed", (("key-0", 2, 3), ("key-1", 0, 0))),
        ),
        ("run-ended", "1234", RunEnded(1234)),
        ("key-refused", "string abc: too long: 3", KeyRefused("string", "abc", "too long: 3")),
        (
            "boundary-unreachable",
            "byte: 5 of 7 boundary hashes have no key: there are only 256",
            BoundaryUnreachable("byte", 5, 7, "there are only 256"),
        ),
        ("not-offered", "no lite members here", NotOffered("no lite members here")),
        ("SIGKILL", "sent to member 1", Remark("SIGKILL", "sent to member 1")),
        ("row-installed", "partition=1", Remark("row-installed", "partition=1")),
        (
            "row-installed",
            "partition=x version=2 slots=[] why=planned",
            Remark("row-installed", "partition=x version=2 slots=[] why=planned"),
        ),
        ("executed", "partition=0", Remark("executed", "partition=0")),
        ("cluster-state-changed", "state=asleep", Remark("cluster-state-changed", "state=asleep")),
    ],
)
def test_an_event_keeps_what_its_text_said(name: str, text: str, event: Event) -> None:
    assert event_of(name, text) == event


def old_trace(path: Path, **head: object) -> Path:
    """Write a trace of version 1."""
    detail = "partition=1 version=2 slots=[0,-] why=planned"
    verdict = {
        "record": "verdict", "run": "old", "property": "full-rows", "verdict": "holds", "promise": "promised",
        "sentence": "s", "witness": [], "out_of_scope": ['cause="a copy ended" source=T1 compared=4 failed=1'],
    }  # fmt: skip
    event = {"record": "event", "run": "old", "at_ms": 5, "name": "row-installed", "member": 0, "detail": detail}
    path.write_text("".join(json.dumps(line) + "\n" for line in ({**HEAD, **head}, event, verdict)))
    return path


@pytest.mark.parametrize("form", TraceFormat)
def test_a_trace_is_converted(tmp_path: Path, form: TraceFormat) -> None:
    new = tmp_path / f"new.{form}"

    assert convert_trace(old_trace(tmp_path / "old.jsonl"), new) == 3

    head, event, verdict = read_trace(new)
    assert isinstance(head, RunRecord)
    assert head.format_version == FORMAT_VERSION
    assert event == EventRecord("old", 5, 0, RowInstalled(1, 2, (0, None), WhyRowChanged.PLANNED))
    assert isinstance(verdict, VerdictRecord)
    found = {"cause": "a copy ended", "source": "T1", "compared": 4, "failed": 1}
    assert [json.loads(one) for one in verdict.out_of_scope] == [found]


def test_columns_of_version_1_are_converted(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "old.parquet"
    folder.mkdir()
    head = {name: value for name, value in HEAD.items() if name != "record"}
    event = {"position": 1, "run": "old", "at_ms": 5, "name": "settled", "member": None, "detail": "rest 1"}
    parquet.write_table(arrow.Table.from_pylist([{"position": 0, **head}]), folder / "run.parquet")
    columns = [(name, arrow.int64() if name in ("position", "at_ms", "member") else arrow.string()) for name in event]
    parquet.write_table(arrow.Table.from_pylist([event], arrow.schema(columns)), folder / "event.parquet")

    convert_trace(folder, tmp_path / "new.jsonl")

    assert list(read_trace(tmp_path / "new.jsonl"))[1] == EventRecord("old", 5, None, Settled("rest 1"))


def test_a_trace_of_this_version_is_not_converted(tmp_path: Path) -> None:
    old = old_trace(tmp_path / "old.jsonl", format_version=2)

    with pytest.raises(TraceError, match=r"old\.jsonl:1: format_version is 2; only traces of version 1 can be conv"):
        convert_trace(old, tmp_path / "new.jsonl")

    assert not (tmp_path / "new.jsonl").exists()


def test_a_reader_of_this_version_says_how_to_convert(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="this gridproof reads 2; gridproof convert OLD NEW makes a trace of this ve"):
        list(read_trace(old_trace(tmp_path / "old.jsonl")))
