"""Jobs are in step with snapshots; changed rules are found."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.execution import SourceProcessor
from gridproof_implementation.protocol.jobs.messages import SavedState
from gridproof_implementation.protocol.jobs.records import ExecutionRecord
from gridproof_implementation.protocol.jobs.snapshot_master import SnapshotMaster
from gridproof_model.events.jobs import JobStarted
from gridproof_model.membership import MemberId
from gridproof_model.trace import EventRecord, Record
from tests.profiles import NIGHTLY_MACHINE
from tests.properties.snapshot_machine import SnapshotMachine

QUICK = settings(
    max_examples=10,
    stateful_step_count=25,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
"""What fails is made short."""
UNSHRUNK = settings(QUICK, phases=[Phase.generate])
"""For rules that are changed on purpose: that they are found is enough."""


def test_a_job_is_in_step_with_snapshots_and_ends_with_its_totals() -> None:
    run_state_machine_as_test(SnapshotMachine, settings=QUICK)


@pytest.mark.nightly
def test_jobs_are_in_step_with_snapshots_in_many_long_runs() -> None:
    run_state_machine_as_test(SnapshotMachine, settings=NIGHTLY_MACHINE)


@pytest.mark.nightly
def test_barriers_that_are_not_aligned_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def may_pass(self: InboundEdge, source: MemberId) -> bool:
        return True

    monkeypatch.setattr(InboundEdge, "may_pass", may_pass)
    caught(Calm, "refuses the action item_is_counted")


def test_a_snapshot_written_over_the_recorded_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExecutionRecord, "map_to_write", property(lambda record: record.map_index))
    caught(SnapshotMachine, "the_recorded_map_is_never_written|action map_is_cleared|keep_the_job_restorable")


def test_a_source_that_begins_anew_after_a_restore_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def restore(self: SourceProcessor, saved: SavedState) -> None:
        pass

    monkeypatch.setattr(SourceProcessor, "restore", restore)
    caught(Crashing, "it states number 0")


def test_a_snapshot_recorded_before_its_validation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def commit_first(self: SnapshotMaster, validation: object, answer: Answer) -> None:
        self.commit()

    monkeypatch.setattr(SnapshotMaster, "_on_validated", commit_first)
    caught(Calm, "refuses the action snapshot_is_recorded|refuses the action map_is_cleared")


def test_a_step_that_fails_is_what_is_reported() -> None:
    with pytest.raises(LookupError, match="amid a step"):
        run_state_machine_as_test(Interrupted, settings=UNSHRUNK)


def caught(machine: type[SnapshotMachine], match: str) -> None:
    """Expect a machine to find a changed rule."""
    with pytest.raises(AssertionError, match=match):
        run_state_machine_as_test(machine, settings=settings(UNSHRUNK, max_examples=100))


class Calm(SnapshotMachine):
    """Nothing is lost and nobody comes or goes, so that more happens while snapshots are taken."""

    losses = 0
    crashes = 0
    joins = 0


class Crashing(Calm):
    """A member ends, and nothing else goes wrong."""

    crashes = 1


class Interrupted(Calm):
    """Fails as the job begins, so that members never do what they were to do next."""

    def _take(self, record: Record) -> None:
        super()._take(record)
        if isinstance(record, EventRecord) and isinstance(record.event, JobStarted):
            raise LookupError("amid a step")
