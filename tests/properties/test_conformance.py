"""One call from adapter to verdicts."""

from collections.abc import Iterable

import pytest

from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options, Promise, PromiseWord
from gridproof_implementation.adapters import atomix, ignite
from gridproof_model.events.harness import AuditStopped
from gridproof_model.trace import EventRecord, Record, RunRecord, VerdictRecord
from gridproof_properties.audits.conformance import Extent, check_conformance, promise_levels
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict, exit_status
from tests.properties.honest_grid import PROMISED, HonestGrid, adapter_of
from tests.properties.lying_grids import LIES, NeverSettles, StopsAnswering, TablesOnly

SMALL = Options(partition_count=29)
PLAN = GridPlan(30, sampled_every=3, many_calls=3, entries_a_call=4, crash_write_count=6, settle_deadline_ms=1_000)
JUDGED = tuple(prop for prop in CATALOGUE if prop.name in PROMISED)
WITH_BACKUPS_ONLY = {
    "one-replica-per-member",
    "group-separation",
    "promotion-without-loss",
    "backups-converge",
    "linearizability",
}
"""What cannot be seen without backups, or not after a crash."""


def checked(adapter: Adapter, options: Options = SMALL, records: list[Record] | None = None) -> dict[str, Verdict]:
    """Verdicts by property."""
    sink = None if records is None else records.append
    found = check_conformance(adapter, options, sink, properties=JUDGED, extent=Extent(grid=PLAN))
    return {v.property: v for v in found}


def broken(verdicts: dict[str, Verdict]) -> set[str]:
    """The properties that are promised and broken."""
    return {name for name, v in verdicts.items() if v.result is Result.BROKEN and v.promise is PromiseLevel.PROMISED}


def promised(verdicts: dict[str, Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts.values() if verdict.promise is PromiseLevel.PROMISED]


def test_every_property_gets_a_verdict() -> None:
    verdicts = check_conformance(adapter_of(), SMALL, extent=Extent(grid=PLAN))

    assert [verdict.property for verdict in verdicts] == [prop.name for prop in CATALOGUE]


@pytest.mark.parametrize(
    "options",
    [
        Options(partition_count=29),
        Options(partition_count=29, seed=3, member_count=4, backup_count=2),
        Options(partition_count=60, member_count=5, backup_count=1),
    ],
    ids=["one backup", "two backups", "five members"],
)
def test_an_honest_grid_keeps_every_promise(options: Options) -> None:
    verdicts = checked(adapter_of(), options)

    assert [f"{v.property}: {v.sentence}" for v in promised(verdicts) if v.result is not Result.HOLDS] == []
    assert [v.property for v in promised(verdicts) if v.compared == 0] == []
    assert exit_status(verdicts.values()) == 0


def test_an_honest_grid_without_backups_keeps_what_can_be_asked_of_it() -> None:
    names = [name for name in PROMISED if name not in WITH_BACKUPS_ONLY]

    verdicts = checked(adapter_of(promised=names), Options(partition_count=29, backup_count=0))

    assert [f"{v.property}: {v.sentence}" for v in promised(verdicts) if v.result is not Result.HOLDS] == []


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_breaks_what_is_promised(lie: type[HonestGrid]) -> None:
    verdicts = checked(adapter_of(lie))

    assert set(LIES[lie]) - broken(verdicts) == set()
    assert exit_status(verdicts.values()) == 1


def test_every_property_is_broken_by_some_lie() -> None:
    caught = {name for names in LIES.values() for name in names}

    assert set(PROMISED) - caught == {"partition-in-range", "every-key-routed"}, (
        "a grid's port has no way to break these"
    )


def test_the_sink_gets_every_record_and_the_verdicts_last() -> None:
    records: list[Record] = []

    verdicts = checked(adapter_of(), records=records)

    reported = [record for record in records if isinstance(record, VerdictRecord)]
    assert isinstance(records[0], RunRecord)
    assert records[-len(reported) :] == reported
    assert [(t.property, t.verdict) for t in reported] == [(v.property, v.result.value) for v in verdicts.values()]
    assert {record.run for record in records} == {records[0].run}


@pytest.mark.parametrize("name", ["full-rows", "views-agree", "promotion-without-loss", "acknowledged-write-kept"])
def test_a_grid_that_never_settles_is_not_judged_at_rest(name: str) -> None:
    assert name not in broken(checked(adapter_of(NeverSettles)))


def test_without_rest_nothing_is_said_about_lost_writes() -> None:
    assert checked(adapter_of(NeverSettles))["promotion-without-loss"].result is Result.UNKNOWN


def test_promises_are_put_beside_the_findings() -> None:
    verdicts = checked(adapter_of(promised=["views-agree"]))

    assert verdicts["views-agree"].promise is PromiseLevel.PROMISED
    assert verdicts["full-rows"].promise is PromiseLevel.NONE


def test_a_promise_that_is_met_nowhere_is_unknown() -> None:
    verdicts = checked(adapter_of(TablesOnly, ["backups-converge"]))

    assert verdicts["backups-converge"].result is Result.UNKNOWN
    assert verdicts["backups-converge"].reason is Reason.NOT_LOOKED_AT
    assert exit_status(verdicts.values()) == 3


def promise_of(names: Iterable[str]) -> str:
    """What is said about promises for these names."""
    with pytest.raises(AdapterError) as refused:
        check_conformance(adapter_of(promised=names), SMALL)
    return str(refused.value)


def test_a_promise_for_a_misspelt_property_is_wrong_use() -> None:
    said = promise_of(["acknowledged-writes-kept"])

    assert said.startswith("memory has promises that cannot be judged: memory promises 'acknowledged-writes-kept'")
    assert "did you mean acknowledged-write-kept or " in said


def test_a_promise_for_nothing_near_lists_the_properties() -> None:
    assert "there are one-replica-per-member, " in promise_of(["x"])


def test_a_grid_that_stops_leaves_nothing_holding() -> None:
    records: list[Record] = []

    verdicts = checked(adapter_of(StopsAnswering), records=records)

    assert {v.result for v in verdicts.values()} == {Result.UNKNOWN}
    said = "nothing is concluded, as the run stopped before its end: nobody answers"
    assert verdicts["views-agree"].sentence == said
    assert AuditStopped("nobody answers") in [record.event for record in records if isinstance(record, EventRecord)]


def test_a_system_that_never_opens_is_an_error() -> None:
    def refuse(options: Options) -> object:
        raise AdapterError("it is not there")

    adapter = Adapter("absent", "never there", Kind.GRID, refuse)  # type: ignore[arg-type]

    with pytest.raises(AdapterError, match="it is not there"):
        check_conformance(adapter, SMALL)


def test_a_promise_says_for_how_many_backups_it_is_given() -> None:
    narrow = Promise(PromiseWord.PROMISED, "this test", least_backups=1, most_backups=2)
    adapter = Adapter("narrow", "", Kind.PLACER, adapter_of().open, {"group-separation": narrow})

    given = [count for count in range(5) if promise_levels(adapter, Options(backup_count=count))]

    assert given == [1, 2]


@pytest.mark.parametrize("adapter", [ignite.ADAPTER, atomix.ADAPTER], ids=lambda one: one.name)
def test_who_loses_what_a_leaver_held_promises_no_write_without_backups(
    adapter: Adapter,
) -> None:
    of_writes = {"acknowledged-write-kept", "acknowledged-key-present", "reads-see-acknowledged-writes"}

    assert not of_writes & promise_levels(adapter, Options(backup_count=0)).keys()
    assert of_writes <= promise_levels(adapter, Options(backup_count=1)).keys()


def test_tables_only_means_unknown_data() -> None:
    verdicts = checked(adapter_of(TablesOnly))

    assert verdicts["views-agree"].result is Result.HOLDS
    assert verdicts["acknowledged-write-kept"].result is Result.UNKNOWN
    assert verdicts["backups-converge"].result is Result.UNKNOWN
    assert verdicts["redundancy-restored"].result is Result.HOLDS
