"""The judges of polled versions, shown running members whose copies the gate brought to lie.

The stories bring a backup out of step with what was acknowledged; whoever polls, and hears of no crash and no lost
message, has to say so. Each judge is broken here by what real members answer, not by a mutated trace.
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

import pytest

from gridproof_implementation.adapter import WriteAnswer
from gridproof_implementation.adapters.hazelcast import ADAPTER, VERSIONS
from gridproof_implementation.live.answers import Copy
from gridproof_model.membership import Member
from gridproof_model.trace import OperationKind, Record
from gridproof_properties.audits import table_poll
from gridproof_properties.audits.recorder import Recorder
from gridproof_properties.audits.table_poll import TablePoll
from gridproof_properties.checkers import polled_versions
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.stories.hazelcast import get_story
from gridproof_properties.stories.stage import Stage, open_stage
from gridproof_properties.stories.story import Ending

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]
POLLED = range(8)
"""The lowest partitions, which both stories use."""


def broken_by(story: str, monkeypatch: pytest.MonkeyPatch, pause_s: float = 0.0) -> set[str]:
    """Which properties of versions a story breaks for whoever polls its members and hears its calls.

    It pauses before each look at a copy.
    """
    monkeypatch.setattr(table_poll, "POLL_EVERY_S", 0.05)
    monkeypatch.setattr(table_poll, "VERSIONS_EVERY", 1)
    records: list[Record] = []
    lock, recorder = Lock(), Recorder("story", records.append)
    chosen = get_story(story)
    with open_stage(chosen.setting, VERSIONS[0]) as stage:
        recorder.head(
            system="hazelcast", version=VERSIONS[0], seed=0, partition_count=chosen.setting.partitions, backup_count=1
        )
        for member in stage.grid.members():
            recorder.joined(stage.grid.now_ms, member, "")
        monkeypatch.setattr(stage, "begin_put", recorded(stage, recorder, lock))
        monkeypatch.setattr(stage, "copy", behind_a_look(stage, pause_s))
        with TablePoll(stage.grid, recorder, lock, "story", POLLED):
            assert chosen.play(stage).ending is Ending.HAPPENED
            stage.wait(1.0)
    verdicts = judge_run(records, polled_versions.PROPERTIES, {})
    return {verdict.property for verdict in verdicts if verdict.result is Result.BROKEN}


def behind_a_look(stage: Stage, pause_s: float) -> Callable[[Member, int], Copy]:
    """How a story looks at copies: once everybody has been polled."""
    copy = stage.copy

    def look(member: Member, partition: int) -> Copy:
        stage.wait(pause_s)
        return copy(member, partition)

    return look


def recorded(stage: Stage, recorder: Recorder, lock: Lock) -> Callable[[str, str, Member], Future[WriteAnswer]]:
    """How a story begins puts, each recorded when it has ended."""
    begin_put = stage.begin_put

    def begin(key: str, value: str, through: Member) -> Future[WriteAnswer]:
        begin_ms, partition = stage.grid.now_ms, stage.grid.partition_of(key)

        def record(call: Future[WriteAnswer]) -> None:
            with lock:
                asked = OperationKind.WRITE, "story", key, partition, value
                recorder.ended(asked, call.result(), (begin_ms, stage.grid.now_ms))

        call = begin_put(key, value, through)
        call.add_done_callback(record)
        return call

    return begin


def test_a_backup_that_takes_an_acknowledged_write_back_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "shown-version-never-goes-back" in broken_by("answer-takes-back", monkeypatch, pause_s=0.3)


def test_a_backup_that_has_what_its_primary_has_not_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    found = broken_by("backup-outlives-term", monkeypatch)

    assert found >= {"backup-not-ahead-of-primary", "acknowledged-writes-are-counted"}
