"""Judges of stream jobs, shown good and bad ends."""

from dataclasses import replace

import pytest

from gridproof_model.events import Event
from gridproof_model.events.harness import JobAsked, JobSeen, RunEnded, Totals
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.jobs import ChunkWritten, JobStarted, JobStopped, JobSubmitted, JobWaits, SnapshotBegun
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.words import CallEnding, Guarantee, Vertex
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord, ViewRecord
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.simulated.jobs import PROPERTIES, STEP_PROPERTIES

BY_NAME = {prop.name: prop for prop in PROPERTIES}
TOTALS, ENDS = "job-totals-right", "confirmed-job-completes"
HEAD: tuple[Record, ...] = (
    RunRecord("run", "system", "1", 0, 1, 1),
    *(MemberRecord("run", 0, number, MemberChange.JOINED, f"m{number}", f"g{number}") for number in range(3)),
    ViewRecord("run", 0, 0, "started", 0, True, (0, 1, 2), (0, 1, 2), ("g0", "g1", "g2")),
)


OWED: Totals = (("key-0", 2, 3), ("key-1", 1, 5))


def asked(guarantee: Guarantee = Guarantee.EXACTLY_ONCE, *, strict: bool = True) -> Record:
    return EventRecord("run", 1, None, JobAsked("counts", guarantee, strict, 1, 3, OWED))


def seen(totals: Totals = OWED, status: str = "completed", *, confirmed: bool = True) -> Record:
    return EventRecord("run", 9, None, JobSeen("counts", confirmed, status, totals))


def crashed(member: int) -> Record:
    return MemberRecord("run", 2, member, MemberChange.CRASHED, f"m{member}", f"g{member}")


def result_of(name: str, *records: Record) -> Result:
    (verdict,) = judge_run((*HEAD, *records), [BY_NAME[name]], {})
    return verdict.result


@pytest.mark.parametrize("name", BY_NAME)
def test_a_job_that_counted_what_there_was_holds(name: str) -> None:
    assert result_of(name, asked(), seen()) is Result.HOLDS


@pytest.mark.parametrize("name", BY_NAME)
def test_a_run_without_a_job_shows_nothing(name: str) -> None:
    assert result_of(name) is Result.UNKNOWN


@pytest.mark.parametrize("guarantee", [Guarantee.EXACTLY_ONCE, Guarantee.NONE])
def test_an_item_counted_twice_is_wrong(guarantee: Guarantee) -> None:
    assert result_of(TOTALS, asked(guarantee), seen((("key-0", 3, 5), ("key-1", 1, 5)))) is Result.BROKEN


def test_at_least_once_may_count_an_item_twice() -> None:
    assert result_of(TOTALS, asked(Guarantee.AT_LEAST_ONCE), seen((("key-0", 3, 5), ("key-1", 1, 5)))) is Result.HOLDS


@pytest.mark.parametrize("guarantee", [Guarantee.EXACTLY_ONCE, Guarantee.AT_LEAST_ONCE])
def test_an_item_that_is_missing_is_wrong(guarantee: Guarantee) -> None:
    assert result_of(TOTALS, asked(guarantee), seen((("key-0", 1, 1), ("key-1", 1, 5)))) is Result.BROKEN


def test_a_failed_job_has_no_totals() -> None:
    assert result_of(TOTALS, asked(), seen((("key-0", 1, 1),), "failed: corrupted")) is Result.UNKNOWN


def test_a_confirmed_job_that_failed_is_broken() -> None:
    assert result_of(ENDS, asked(), seen((), "failed: corrupted")) is Result.BROKEN


def test_a_total_that_is_gone_is_broken() -> None:
    assert result_of(ENDS, asked(), seen((("key-0", 2, 3),))) is Result.BROKEN


def test_a_strict_job_is_in_scope_after_one_crash() -> None:
    assert result_of(ENDS, asked(), crashed(1), seen((), "unknown")) is Result.BROKEN


def test_a_job_whose_writes_may_miss_their_backup_is_out_of_scope_after_one_crash() -> None:
    assert result_of(ENDS, asked(strict=False), crashed(1), seen((), "unknown")) is Result.UNKNOWN


def test_every_job_is_out_of_scope_after_more_crashes_than_backups() -> None:
    assert result_of(ENDS, asked(), crashed(1), crashed(2), seen((), "unknown")) is Result.UNKNOWN


def test_a_submission_that_nobody_confirmed_may_be_lost() -> None:
    assert result_of(ENDS, asked(), seen((), "unknown", confirmed=False)) is Result.UNKNOWN


def test_a_copy_that_ended_since_the_latest_rest_before_may_be_missing_when_a_job_is_asked_for() -> None:
    """Seed 5000909: no migration begins for 20 s after a member left, and the other one ends meanwhile."""
    before = MemberRecord("run", 1, 1, MemberChange.CRASHED, "m1", "g1")

    assert result_of(ENDS, before, asked(), crashed(2), seen((), "unknown")) is Result.UNKNOWN


def test_a_job_is_in_scope_where_a_copy_ended_before_the_latest_rest() -> None:
    before = MemberRecord("run", 0, 2, MemberChange.CRASHED, "m2", "g2")
    rest = ViewRecord("run", 1, 1, "rest 1", 0, True, (0, 1), (0, 1), ("g0", "g1", "g2"))

    assert result_of(ENDS, before, rest, asked(), crashed(1), seen((), "unknown")) is Result.BROKEN


def ends_before_any_rest(*data_members: int) -> Result:
    """Return what is said of a job in a grid that was never seen at rest, once member 0 crashed."""
    joined = (MemberRecord("run", 0, n, MemberChange.JOINED, f"m{n}", f"g{n}") for n in data_members)
    lite = MemberRecord("run", 0, 9, MemberChange.JOINED, "m9", "", lite=True)
    (verdict,) = judge_run((HEAD[0], lite, *joined, asked(), crashed(0), seen((), "unknown")), [BY_NAME[ENDS]], {})
    return verdict.result


def test_the_only_data_member_takes_every_copy_with_it() -> None:
    """Seed 5001122: partitions were not arranged yet when the job was asked for."""
    assert ends_before_any_rest(0) is Result.UNKNOWN


def test_one_of_two_data_members_takes_no_last_copy_with_it() -> None:
    assert ends_before_any_rest(0, 1) is Result.BROKEN


def at(ms: int, event: Event) -> Record:
    return EventRecord("run", ms, 0, event)


LISTED = at(1, MemberListInstalled(1, (0, 1)))
NO_SNAPSHOTS = asked(Guarantee.NONE)
SUBMITTED = at(1, JobSubmitted("counts"))
BEGUN = at(1, CallBegun(1, 0, "Process", is_read_only=False, is_strict=True))
WRITTEN = at(2, CallEnded(1, CallEnding.ACKNOWLEDGED, 1, 2))
START = JobStarted("counts", "one", (0, 1), (0,), 0)
STARTED = at(2, START)
RUNS = (LISTED, NO_SNAPSHOTS, SUBMITTED, BEGUN, WRITTEN, STARTED)
JOINED = at(5, MemberListInstalled(2, (0, 1, 2)))
CHUNK = ChunkWritten("counts", 1, Vertex.SOURCE, 0, "", 2)


def stopped(ms: int, why: str) -> Record:
    return at(ms, JobStopped("counts", "one", why))


def steps(*records: Record) -> Result:
    (verdict,) = judge_run((*HEAD, *records), STEP_PROPERTIES, {})
    return verdict.result


@pytest.mark.parametrize(
    "more",
    [
        (),
        (stopped(5, "1 left"), BEGUN, WRITTEN, at(2_005, START)),
        (JOINED, stopped(10_005, "members joined"), BEGUN, WRITTEN, at(10_100, START)),
        (stopped(5, "completed"), at(9_000, RunEnded(9))),
        (at(5, CHUNK),),
        (at(5, replace(CHUNK, failure="not sent", confirmed_copies=0)),),
    ],
)
def test_a_job_that_starts_when_it_has_to_is_good(more: tuple[Record, ...]) -> None:
    assert steps(*RUNS, *more) is Result.HOLDS


@pytest.mark.parametrize(
    "history",
    [
        (LISTED, NO_SNAPSHOTS, BEGUN, WRITTEN, STARTED),
        (*RUNS, SUBMITTED),
        (LISTED, NO_SNAPSHOTS, SUBMITTED, STARTED),
        (LISTED, NO_SNAPSHOTS, SUBMITTED, BEGUN, STARTED),
        (*RUNS, stopped(5, "1 left"), at(2_005, START)),
        (*RUNS, stopped(5, "1 left"), BEGUN, WRITTEN, at(1_900, START)),
        (*RUNS, stopped(5, "1 left"), at(5_000, RunEnded(9))),
        (*RUNS, stopped(10_005, "members joined")),
        (*RUNS, JOINED, stopped(9_000, "members joined")),
        (*RUNS, JOINED, at(14_000, RunEnded(9))),
        (*RUNS, JOINED, stopped(11_200, "members joined")),
        (*RUNS, at(5, replace(CHUNK, confirmed_copies=1))),
        (*RUNS, at(5, SnapshotBegun("counts", 1, 0, terminal=False))),
        (LISTED, asked(), *RUNS[2:], JOINED, stopped(10_100, "members joined")),
        (*RUNS, stopped(5, "1 left"), at(2_005, JobWaits("counts", "the execution record was not read: None"))),
    ],
    ids=(
        "not submitted", "submitted twice", "not written", "not written yet", "not written again", "too early",
        "too late", "nobody joined", "scaled up too early", "not scaled up", "scaled up too late", "other copies",
        "snapshot of a job without", "no terminal snapshot", "waits for nothing",
    ),
)  # fmt: skip
def test_a_job_that_starts_otherwise_is_bad(history: tuple[Record, ...]) -> None:
    assert steps(*history) is Result.BROKEN
