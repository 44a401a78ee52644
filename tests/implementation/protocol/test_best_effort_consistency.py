"""Acknowledged writes lost behind a lagging backup, counted.

Source: seed: Best-Effort Consistency.
"""

from dataclasses import dataclass

import pytest

from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.replication import BackupApplied
from tests.implementation.protocol.clients import clients_of
from tests.implementation.protocol.replicas import MAP, P, config_of

WRITES = 100
APART_SECONDS = 0.005
ASYNC_BACKUP = config_of(sync=0, asynchronous=1)


@dataclass(frozen=True)
class Loss:
    """What became of a hundred writes, one every 5 ms, whose primary crashed with the last one."""

    acknowledged: int
    applied: int
    """Updates that the backup ever had: what was under way still comes until it hears of the crash."""
    lost: int


def crash_behind(lag_us: int, *, rest_seconds: float = 0) -> Loss:
    """Let a backup's messages take up to so much longer, and the primary crash when all writes were made."""
    clients = clients_of(2, config=ASYNC_BACKUP)
    grid, latest_hosts = clients.grid, clients.grid.world.latest_hosts
    clients.result_of(0, Get(MAP, "nothing"), P)
    owner = clients.owner(P)
    grid.world.links.at(owner, 1 - owner).normal_extra_us = lag_us
    calls: list[int] = []
    for number in range(WRITES):
        calls.append(clients.ask(owner, Put(MAP, f"k{number}", "v"), P))
        grid.run_for(APART_SECONDS)
    grid.run_for(rest_seconds)
    acknowledged = sum(call in clients.answers and clients.answers[call].failure is None for call in calls)
    grid.world.crash(latest_hosts[owner])
    found = [clients.result_of(1 - owner, Get(MAP, f"k{number}"), P) for number in range(WRITES)]
    return Loss(acknowledged, len(grid.events_of(BackupApplied)), found.count(None))


@pytest.mark.parametrize(("lag_us", "lost"), [(0, 0), (500_000, 34), (2_000_000, 100)])
def test_a_crash_loses_the_acknowledged_writes_that_did_not_reach_the_backup(lag_us: int, lost: int) -> None:
    assert crash_behind(lag_us) == Loss(acknowledged=WRITES, applied=WRITES - lost, lost=lost)


def test_a_backup_that_has_caught_up_loses_nothing() -> None:
    assert crash_behind(500_000, rest_seconds=1) == Loss(acknowledged=WRITES, applied=WRITES, lost=0)
