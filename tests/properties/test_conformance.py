"""One call from adapter to verdicts."""

import pytest

from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options, Promise, PromiseWord
from gridproof_model.trace import EventRecord, Record, RunRecord, VerdictRecord
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.audits.recorder import STOPPED
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.conformance import Extent, check_conformance, promise_levels
from gridproof_properties.verdict import PromiseLevel, Result, Verdict
from tests.properties.memory_grid import Fault, memory_adapter

SMALL = Options(partition_count=13)
EXTENT = Extent(grid=GridPlan(key_count=40, sampled_every=3, settle_deadline_ms=1_000))


def checked(adapter: Adapter, records: list[Record] | None = None) -> dict[str, Verdict]:
    """Verdicts by property."""
    sink = None if records is None else records.append
    return {v.property: v for v in check_conformance(adapter, SMALL, sink, extent=EXTENT)}


def broken(fault: Fault) -> set[str]:
    """The properties that are broken by a fault, beyond those broken without one."""
    return {name for name, v in checked(memory_adapter(fault)).items() if v.result is Result.BROKEN} - WITHOUT_FAULT


WITHOUT_FAULT = {name for name, v in checked(memory_adapter()).items() if v.result is Result.BROKEN}


def test_every_property_gets_a_verdict() -> None:
    assert list(checked(memory_adapter())) == [prop.name for prop in CATALOGUE]


def test_the_sink_gets_every_record_and_the_verdicts_last() -> None:
    records: list[Record] = []

    verdicts = checked(memory_adapter(), records)

    told = [record for record in records if isinstance(record, VerdictRecord)]
    assert isinstance(records[0], RunRecord)
    assert records[-len(told) :] == told
    assert [(t.property, t.verdict) for t in told] == [(v.property, v.result.value) for v in verdicts.values()]
    assert {record.run for record in records} == {records[0].run}


def test_a_good_grid_breaks_balance_only() -> None:
    """Rendezvous placement is never even to within one."""
    assert {"balance-of-primaries", "balance-after-loss", "balance-of-copies"} >= WITHOUT_FAULT


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Fault.ONE_MEMBER_TWICE, "one-replica-per-member"),
        (Fault.MEMBERS_DISAGREE, "views-agree"),
        (Fault.SHUFFLES, "movement-only-to-newcomer"),
        (Fault.SHUFFLES, "movement-of-copies"),
    ],
)
def test_a_fault_in_the_tables_breaks_its_property(fault: Fault, name: str) -> None:
    assert name in broken(fault)


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Fault.ACKNOWLEDGES_EARLY, "acknowledgement-means-copies"),
        (Fault.ACKNOWLEDGES_EARLY, "backups-converge"),
        (Fault.ACKNOWLEDGES_EARLY, "promotion-without-loss"),
        (Fault.ALTERS_BACKUPS, "backups-converge"),
        (Fault.FORGETS_ON_CRASH, "acknowledged-write-kept"),
        (Fault.FORGETS_ON_CRASH, "promotion-without-loss"),
        (Fault.RESURRECTS, "acknowledged-write-kept"),
        (Fault.RESURRECTS, "promotion-without-loss"),
        (Fault.READS_WHAT_IS_NEAR, "reads-see-acknowledged-writes"),
    ],
)
def test_a_fault_in_the_data_breaks_its_property(fault: Fault, name: str) -> None:
    assert name in broken(fault)


def test_a_stale_read_through_a_member_is_no_lost_write() -> None:
    assert broken(Fault.READS_WHAT_IS_NEAR) == {
        "reads-see-acknowledged-writes",
        "monotonic-reads",
        "read-your-writes",
        "linearizability",
    }


@pytest.mark.parametrize("name", ["full-rows", "views-agree", "promotion-without-loss", "acknowledged-write-kept"])
def test_a_grid_that_never_settles_is_not_judged_at_rest(name: str) -> None:
    assert name not in broken(Fault.NEVER_SETTLES)


def test_without_rest_nothing_is_said_about_lost_writes() -> None:
    assert checked(memory_adapter(Fault.NEVER_SETTLES))["promotion-without-loss"].result is Result.UNKNOWN


def test_a_property_that_was_not_looked_at_is_unknown() -> None:
    assert checked(memory_adapter(Fault.NONE, "key-to-partition"))["key-to-partition"].result is Result.UNKNOWN


def test_promises_are_put_beside_the_findings() -> None:
    verdicts = checked(memory_adapter(Fault.NONE, "views-agree"))

    assert verdicts["views-agree"].promise is PromiseLevel.PROMISED
    assert verdicts["full-rows"].promise is PromiseLevel.NONE


def test_a_grid_that_stops_leaves_nothing_holding() -> None:
    records: list[Record] = []

    verdicts = checked(memory_adapter(Fault.STOPS), records)

    assert {v.result for v in verdicts.values()} == {Result.UNKNOWN, Result.BROKEN} - (
        set() if WITHOUT_FAULT else {Result.BROKEN}
    )
    assert verdicts["views-agree"].sentence == "the run stopped before its end: nobody answers"
    assert [r.detail for r in records if isinstance(r, EventRecord) and r.name == STOPPED] == ["nobody answers"]


def test_a_system_that_never_opens_is_an_error() -> None:
    def refuse(options: Options) -> object:
        raise AdapterError("it is not there")

    adapter = Adapter("absent", "never there", Kind.GRID, refuse)  # type: ignore[arg-type]

    with pytest.raises(AdapterError, match="it is not there"):
        check_conformance(adapter, SMALL)


def test_separation_is_owed_only_while_there_are_zones_left() -> None:
    promises = {"group-separation": Promise(PromiseWord.PROMISED, "this test")}
    adapter = Adapter("zoned", "", Kind.PLACER, memory_adapter().open, promises)

    assert "group-separation" in promise_levels(adapter, Options(backup_count=2))
    assert "group-separation" not in promise_levels(adapter, Options(backup_count=3))


def test_a_grid_without_backups_owes_no_promotion() -> None:
    adapter = memory_adapter(Fault.NONE, "promotion-without-loss", "acknowledged-write-kept")
    bare = Options(backup_count=0, partition_count=13)

    verdicts = {v.property: v for v in check_conformance(adapter, bare, extent=EXTENT)}

    assert verdicts["promotion-without-loss"].promise is PromiseLevel.NONE
    assert verdicts["acknowledged-write-kept"].promise is PromiseLevel.PROMISED
    assert verdicts["acknowledged-write-kept"].result is Result.HOLDS


def test_tables_only_means_unknown_data() -> None:
    verdicts = checked(memory_adapter(holds_data=False))

    assert verdicts["views-agree"].result is Result.HOLDS
    assert verdicts["acknowledged-write-kept"].result is Result.UNKNOWN
    assert verdicts["backups-converge"].result is Result.UNKNOWN
