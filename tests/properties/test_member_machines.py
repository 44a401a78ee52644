"""Machines over members: a changed rule is found."""

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_implementation.protocol.partitioning.messages import CompletedMigration, MigrationAnswer
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_model.partition_table import PartitionRow
from gridproof_properties.machines.members import MACHINES, MemberMachine, MigrationMachine
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


@pytest.mark.parametrize("machine", MACHINES)
def test_members_are_in_step_with_the_specifications(machine: type[MemberMachine]) -> None:
    run_state_machine_as_test(machine, settings=QUICK)


@pytest.mark.nightly
@pytest.mark.parametrize("machine", MACHINES)
def test_members_are_in_step_in_many_long_runs(machine: type[MemberMachine]) -> None:
    run_state_machine_as_test(machine, settings=NIGHTLY_MACHINE)


def commit_at_once(self: MigrationMaster, sender: object, answer: MigrationAnswer) -> None:
    underway = self.underway.get(answer.partition)
    if underway is not None:
        self.succeed(underway.order)


def test_a_commit_that_leaves_the_version_of_the_row_alone_is_refused() -> None:
    applied = CompletedMigration.applied

    def leave_the_version(self: CompletedMigration, row: PartitionRow) -> PartitionRow:
        return replace(applied(self, row), version=row.version)

    caught(CompletedMigration, "applied", leave_the_version, "row-installed.* version .*, where the specification says")


def test_a_master_that_commits_before_the_destination_is_refused() -> None:
    caught(
        MigrationMaster,
        "on_answer",
        commit_at_once,
        "row-installed.* committed: the specification refuses the action destination_commits",
    )


def caught(owner: object, rule: str, instead: object, match: str) -> None:
    """Expect the machine of migrations to refuse a changed rule."""
    with patch.object(owner, rule, instead), pytest.raises(AssertionError, match=match):
        run_state_machine_as_test(MigrationMachine, settings=settings(UNSHRUNK, max_examples=200))
