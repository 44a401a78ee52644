"""Machines over members: a changed rule is found."""

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.partitioning.messages import CompletedMigration, MigrationAnswer
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.version_vector import Verdict, taken_over
from gridproof_model.partition_table import PartitionRow
from gridproof_properties.machines.members import MACHINES, MemberMachine, MigrationMachine, ReplicationMachine
from tests.profiles import NIGHTLY_MACHINE

QUICK = settings(
    max_examples=12,
    stateful_step_count=40,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
"""What fails is made short."""
UNSHRUNK = settings(QUICK, phases=[Phase.generate])
"""For rules that are changed on purpose: that they are found is enough."""


SHORTEST = 11
"""Steps, with the first and the last, of the story that shrinking leaves of the changed rule below."""


@pytest.mark.parametrize("machine", MACHINES)
def test_members_are_in_step_with_the_specifications(machine: type[MemberMachine]) -> None:
    run_state_machine_as_test(machine, settings=QUICK)


@pytest.mark.nightly
@pytest.mark.parametrize("machine", MACHINES)
def test_members_are_in_step_in_many_long_runs(machine: type[MemberMachine]) -> None:
    run_state_machine_as_test(machine, settings=NIGHTLY_MACHINE)


def forget(self: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Verdict) -> None:
    """Take over the versions of an update that comes behind a gap, and leave the replica clean."""
    fragment.versions = taken_over(fragment.versions, backup.versions, backup.index)


def test_a_changed_rule_is_found_and_explained() -> None:
    with (
        patch.object(ReplicationPart, "record", forget),
        pytest.raises(AssertionError, match="dirty False, and the specification says True"),
    ):
        run_state_machine_as_test(ReplicationMachine, settings=settings(UNSHRUNK, max_examples=200))


def test_what_is_found_is_made_short() -> None:
    shrinking = settings(QUICK, max_examples=200, derandomize=True)

    with patch.object(ReplicationPart, "record", forget), pytest.raises(AssertionError) as failure:
        run_state_machine_as_test(ReplicationMachine, settings=shrinking)

    steps = [line for note in failure.value.__notes__ for line in note.splitlines() if line.startswith("state.")]
    taken = [step.partition("(")[0].removeprefix("state.") for step in steps if "every_step_is" not in step]
    # Two writes; of the first the update of the second backup gets lost, so that the second update has a gap before it.
    assert (taken.count("write"), taken.count("lose")) == (2, 1)
    assert len(taken) <= SHORTEST


def commit_at_once(self: MigrationMaster, sender: object, answer: MigrationAnswer) -> None:
    underway = self.underway.get(answer.partition)
    if underway is not None:
        self.succeed(underway.order)


def test_a_commit_that_leaves_the_version_of_the_row_alone_is_refused() -> None:
    applied = CompletedMigration.applied

    def leave_the_version(self: CompletedMigration, row: PartitionRow) -> PartitionRow:
        return replace(applied(self, row), version=row.version)

    caught(CompletedMigration, "applied", leave_the_version, "row-installed.* version .*, and the specification says")


def test_a_master_that_commits_before_the_destination_is_refused() -> None:
    caught(
        MigrationMaster,
        "on_answer",
        commit_at_once,
        "row-installed.* committed: the specification refuses destination_commits",
    )


def caught(owner: object, rule: str, instead: object, match: str) -> None:
    """Expect the machine of migrations to refuse a changed rule."""
    with patch.object(owner, rule, instead), pytest.raises(AssertionError, match=match):
        run_state_machine_as_test(MigrationMachine, settings=settings(UNSHRUNK, max_examples=200))
