"""One suite for every system in the catalogue."""

import re
from dataclasses import dataclass
from functools import cache

import pytest

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.adapters import ADAPTERS, get_adapter
from gridproof_model.events.harness import AuditStopped, Unsettled
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberRecord,
    OperationRecord,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.audits.routing import PlacerPlan
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

LIVE = {"vecgrid"}
NIGHTLY = {
    "hazelcast",
    "valkey",
    "ignite",
    "atomix",
    "atomix-raft",
    "etcd",
    "etcd-serializable",
    "etcd-fsync",
    "hazelcast-node-client",
}
"""Live, too, and an audit of theirs is more than the tests of a day can bear."""
EXTENT = Extent(GridPlan(key_count=150), PlacerPlan(key_count=3_000), random_keys_per_type=1_000)
BROKEN = {
    "hazelcast-client": {"key-to-partition", "every-key-routed"},
    "hazelcast-node-client": {"key-to-partition"},
    "vecgrid": {
        "acknowledged-write-kept",
        "acknowledged-write-on-every-copy",
        "acknowledgement-means-copies",
        "movement-after-loss",
        "movement-of-copies",
        "movement-of-primaries",
        "movement-only-to-newcomer",
        "promotion-without-loss",
    },
}
"""Promises that a subject was found to break; each is explained in docs/findings.md."""
OF_ATOMIX = {
    "acknowledged-key-present",
    "acknowledged-write-kept",
    "acknowledged-write-on-every-copy",
    "acknowledgement-means-copies",
    "backups-converge",
    "full-rows",
    "linearizability",
    "promotion-without-loss",
    "read-your-writes",
    "reads-accepted-at-rest",
    "reads-see-acknowledged-writes",
    "writes-accepted-at-rest",
}
BROKEN_AT_TIMES = {"vecgrid": {"backups-converge"}, "atomix": OF_ATOMIX, "atomix-raft": OF_ATOMIX}
"""And those that they break in some audits, not in all."""
RESTLESS = {"atomix", "atomix-raft"}
"""After a crash an election of theirs may not answer any more: the grid never comes to rest, and what is left is not
looked at (docs/findings.md)."""


def marks_of(adapter: Adapter) -> list[pytest.MarkDecorator]:
    """The marks of the tests of one system."""
    marks = [pytest.mark.skipif(adapter.missing() is not None, reason=f"{adapter.missing()}: make live")]
    if adapter.name in LIVE | NIGHTLY:
        marks += [pytest.mark.live, pytest.mark.xdist_group("live")]
    return [*marks, pytest.mark.nightly] if adapter.name in NIGHTLY else marks


every_system = pytest.mark.parametrize(
    "name",
    [pytest.param(a.name, marks=marks_of(a)) for a in ADAPTERS],
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What one audit showed."""

    records: tuple[Record, ...]
    verdicts: tuple[Verdict, ...]


@cache
def checked(name: str) -> Checked:
    """One small audit of a system, shared by the tests below."""
    records: list[Record] = []
    verdicts = check_conformance(get_adapter(name), Options(), records.append, extent=EXTENT)
    return Checked(tuple(records), verdicts)


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
def test_promises_are_about_properties_that_exist(adapter: Adapter) -> None:
    assert set(adapter.promises) <= {prop.name for prop in CATALOGUE}


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
def test_every_promise_says_where_it_is_given(adapter: Adapter) -> None:
    vague = [
        p.source for p in adapter.promises.values() if not re.fullmatch(r"[a-z]+\.\d+|\S+ .+", p.source, re.DOTALL)
    ]

    assert vague == [], "name a rule of docs/protocol, or a document and its place"


@every_system
def test_the_audit_comes_to_its_end(name: str) -> None:
    kinds = {record.kind for record in checked(name).records if isinstance(record, EventRecord)}

    assert kinds.isdisjoint({AuditStopped, *([] if name in RESTLESS else [Unsettled])})


@every_system
def test_what_is_promised_is_looked_at(name: str) -> None:
    promised = [v for v in checked(name).verdicts if v.promise is PromiseLevel.PROMISED]

    assert promised
    assert name in RESTLESS or [v.property for v in promised if v.result is Result.UNKNOWN] == []


@every_system
def test_the_promises_found_broken_are_the_known_ones(name: str) -> None:
    broken = {
        v.property for v in checked(name).verdicts if v.promise is PromiseLevel.PROMISED and v.result is Result.BROKEN
    }

    assert broken - BROKEN_AT_TIMES.get(name, set()) == BROKEN.get(name, set())


@every_system
def test_what_is_broken_has_a_witness(name: str) -> None:
    assert all(v.witness for v in checked(name).verdicts if v.result is Result.BROKEN)


@every_system
def test_the_trace_opens_with_its_head_and_reports_one_run(name: str) -> None:
    records = checked(name).records

    assert [index for index, record in enumerate(records) if isinstance(record, RunRecord)] == [0]
    assert len({record.run for record in records}) == 1


@every_system
def test_views_are_numbered_in_order_and_operations_without_a_gap(name: str) -> None:
    """Clients of agents are at work at the same time: who began first need not end first."""
    records = checked(name).records
    views = [record.view for record in records if isinstance(record, ViewRecord)]
    operations = [record.operation for record in records if isinstance(record, OperationRecord)]

    assert views == list(range(len(views)))
    assert sorted(operations) == list(range(len(operations)))


@every_system
def test_rows_follow_their_view_and_are_complete(name: str) -> None:
    head, *records = checked(name).records
    assert isinstance(head, RunRecord)
    views = [record.view for record in records if isinstance(record, ViewRecord)]

    rows = [(record.view, record.partition) for record in records if isinstance(record, RowRecord)]

    assert rows == [(view, partition) for view in views for partition in range(head.partition_count)]


@every_system
def test_only_members_that_were_introduced_are_named(name: str) -> None:
    records = checked(name).records
    introduced = {record.member for record in records if isinstance(record, MemberRecord)}

    named = {member for record in records if isinstance(record, RowRecord) for member in record.slots}
    named |= {record.member for record in records if isinstance(record, DigestRecord)}

    assert named - {None} <= introduced


@every_system
def test_time_never_runs_backwards(name: str) -> None:
    if get_adapter(name).kind is Kind.ROUTER:
        pytest.skip("a router has no time")
    times = [r.at_ms for r in checked(name).records if isinstance(r, MemberRecord | ViewRecord | EventRecord)]

    assert times == sorted(times)
