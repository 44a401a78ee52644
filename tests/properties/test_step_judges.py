"""Judges of steps, shown real runs with one step changed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import Strike
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.simulated import STEPS_WATCHED, acknowledgements, endings, orders, resources
from gridproof_properties.verdict import Result
from tests.properties.followed_runs import doctored, judged, run_of, scenario

CRASH = scenario(Strike("crash", 300, 1_500, (0,)), members=4)
LEAVE = scenario(Strike("leave", 300, 1_500, (1,)), members=4)
THEMES = (endings, orders, acknowledgements, resources)
BY_NAME = {prop.name: prop for theme in THEMES for prop in theme.PROPERTIES}
Doctor = Callable[[list[Record]], list[Record]]


def result_of(name: str, records: list[Record]) -> Result:
    return judged(BY_NAME[name], records).result


def without(name: str) -> Doctor:
    """Return the change that takes the last event of a name away."""

    def change(records: list[Record]) -> list[Record]:
        times = sum(isinstance(one, EventRecord) and one.name == name for one in records)
        return doctored(records, name, lambda told: None, times)

    return change


def said(name: str, before: str, after: str) -> Doctor:
    """Return the change of a few words of the first event of a name."""

    def change(told: str) -> str:
        assert before in told, told
        return told.replace(before, after)

    return lambda records: doctored(records, name, change)


def left_behind(resource: str) -> Doctor:
    """Return the change that lets a member keep one of a resource at the last rest."""

    def change(records: list[Record]) -> list[Record]:
        last = sum(isinstance(one, EventRecord) and one.name == resources.RESOURCES for one in records)
        return doctored(
            records, resources.RESOURCES, lambda told: told.replace(f" {resource}=0", f" {resource}=1"), last
        )

    return change


def twice(name: str) -> Doctor:
    """Return the change that says the first event of a name once more."""

    def change(records: list[Record]) -> list[Record]:
        place = next(p for p, one in enumerate(records) if isinstance(one, EventRecord) and one.name == name)
        return [*records[: place + 1], *records[place:]]

    return change


def executed_before_the_end(records: list[Record]) -> list[Record]:
    """Return the records with a change executed by a participant right before its migration ends."""
    place = next(
        p for p, one in enumerate(records) if isinstance(one, EventRecord) and one.name == "migration-finished"
    )
    end = records[place]
    assert isinstance(end, EventRecord)
    change = EventRecord(end.run, end.at_ms, "executed", end.member, "partition=0 operation=Put changed=true")
    return [*records[:place], change, *records[place:]]


def stay_behind(records: list[Record]) -> list[Record]:
    """Return the records without the last list that one member installs."""
    last = max(
        p for p, one in enumerate(records) if isinstance(one, EventRecord) and one.name == "member-list-installed"
    )
    return [*records[:last], *records[last + 1 :]]


DOCTORED = [
    ("calls-end-once", without("call-ended")),
    ("calls-end-once", twice("call-ended")),
    ("migrations-end-once", without("migration-finished")),
    ("migrations-end-once", twice("migration-finished")),
    ("nothing-changes-while-it-moves", executed_before_the_end),
    ("lowest-survivor-promoted", said("promotion-ordered", "from_index=1", "from_index=2")),
    ("lowest-survivor-promoted", said("promotion-ordered", "destination=", "destination=9")),
    ("loss-told-exactly", said("partition-lost", "lost_backup_count=0", "lost_backup_count=1")),
    ("loss-told-exactly", without("partition-lost")),
    ("loss-told-exactly", without("promoted")),
    ("tables-from-the-master", said("table-received", "sender=", "sender=9")),
    ("member-lists-agree", said("member-list-installed", "version=1", "version=0")),
    ("member-lists-agree", said("member-list-installed", "[0]", "[1]")),
    ("member-lists-agree", stay_behind),
    ("acknowledged-by-its-backups", said("acknowledgement-counted", "backup=", "backup=9")),
    ("acknowledged-by-its-backups", said("acknowledgement-counted", "call_id=", "call_id=9")),
    ("answered-by-its-target", said("call-ended", "answered_by=", "answered_by=9")),
    ("answered-by-its-target", said("executed", "caller=", "caller=9")),
    ("answered-by-its-target", said("attempt-failed", "call_id=", "call_id=9")),
    ("resources-return", left_behind("parked_operations")),
    ("resources-return", left_behind("destination_places")),
    ("resources-return", left_behind("sync_permits")),
    ("resources-return", left_behind("calls")),
]


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - {"leaves-end"}))
def test_a_run_as_it_was_holds(name: str) -> None:
    assert result_of(name, list(run_of(CRASH))) is Result.HOLDS


@pytest.mark.parametrize(("name", "doctor"), DOCTORED, ids=[f"{name}-{n}" for n, (name, _) in enumerate(DOCTORED)])
def test_a_doctored_run_is_caught(name: str, doctor: Doctor) -> None:
    assert result_of(name, doctor(list(run_of(CRASH)))) is Result.BROKEN


def test_a_call_that_is_under_way_may_hold_what_it_needs() -> None:
    *records, last = (one for one in run_of(CRASH) if isinstance(one, EventRecord) and one.name == resources.RESOURCES)
    begun = replace(last, name="call-begun", detail="invocation=99")
    holding = replace(last, detail=last.detail.replace(" calls=0", " calls=1"))

    assert result_of("resources-return", [*records, begun, holding]) is Result.HOLDS
    assert result_of("resources-return", [*records, replace(begun, name="call-ended"), holding]) is Result.BROKEN


def test_a_job_that_goes_on_may_hold_what_it_needs() -> None:
    assert result_of("resources-return", left_behind("executions")(list(run_of(CRASH)))) is Result.HOLDS


def test_a_member_that_leaves_goes() -> None:
    assert result_of("leaves-end", list(run_of(LEAVE))) is Result.HOLDS


def test_a_member_that_asks_to_leave_and_stays_is_caught() -> None:
    records: list[Record] = [*run_of(LEAVE), EventRecord("run", 9, "shutdown-requested", 0, "")]

    assert result_of("leaves-end", records) is Result.BROKEN


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_run_without_steps_shows_nothing(name: str) -> None:
    assert result_of(name, []) is Result.UNKNOWN


def test_every_step_looked_at_is_asked_for() -> None:
    records = [r for r in run_of(CRASH) if not isinstance(r, EventRecord) or r.name in STEPS_WATCHED]

    assert {name for name in BY_NAME if result_of(name, records) is Result.HOLDS} == BY_NAME.keys() - {"leaves-end"}
