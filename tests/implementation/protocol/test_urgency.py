"""Which messages may overtake user operations (calls.2)."""

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import Summary, SyncAnswer, SyncRequest, SyncRetry
from gridproof_implementation.protocol.calls import Backup, BackupAck, Request, Response
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.membership.messages import ClaimRequest, Heartbeat, JoinRequest, MemberUpdate
from gridproof_implementation.protocol.merging.messages import MergeClusters, SideProbe
from gridproof_implementation.protocol.partitioning.messages import (
    FetchTable,
    MigrationCommit,
    MigrationFragments,
    PromotionCommit,
    TableState,
)


@pytest.mark.parametrize(
    "kind",
    [
        *(TableState, FetchTable, MigrationFragments, MigrationCommit, PromotionCommit),
        *(Heartbeat, MemberUpdate, JoinRequest, ClaimRequest),
        *(SyncRequest, SyncAnswer, SyncRetry),
        *(SideProbe, MergeClusters),
    ],
)
def test_what_keeps_the_grid_together_is_urgent(kind: type[Message]) -> None:
    assert kind.URGENT


@pytest.mark.parametrize("kind", [Request, Response, BackupAck])
def test_what_users_ask_for_is_not_urgent(kind: type[Message]) -> None:
    assert not kind.URGENT


@pytest.mark.parametrize("kind", [Backup, Summary])
def test_a_summary_stays_behind_the_backups_it_is_compared_with(kind: type[Message]) -> None:
    assert not kind.URGENT
