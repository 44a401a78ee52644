"""Machines over members: a changed rule is found."""

from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.version_vector import Verdict, taken_over
from gridproof_properties.machines.members import MACHINES, MemberMachine, ReplicationMachine

QUICK = settings(
    max_examples=12,
    stateful_step_count=40,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize("machine", MACHINES)
def test_members_are_in_step_with_the_specifications(machine: type[MemberMachine]) -> None:
    run_state_machine_as_test(machine, settings=QUICK)


def test_a_changed_rule_is_found_and_explained() -> None:
    def forget(self: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Verdict) -> None:
        fragment.versions = taken_over(fragment.versions, backup.versions, backup.index)

    with (
        patch.object(ReplicationPart, "record", forget),
        pytest.raises(AssertionError, match="dirty False, and the specification says True"),
    ):
        run_state_machine_as_test(ReplicationMachine, settings=settings(QUICK, max_examples=200))
