"""Copies that were looked at before a backup had arrived.

Found by `gridproof simulate --seed 1001290`. Messages of the normal lane take up to a second longer, and a lane keeps
its order, so that a backup sent at the end arrives long after the fault has ended. The grid was at rest meanwhile:
nothing moves, everybody agrees. Its copies were compared with anti-entropy held still, and one was behind.
"""

from dataclasses import replace

from gridproof_implementation.simulator.run import STILL
from gridproof_implementation.simulator.scenario import FaultEvent, Script
from gridproof_model.trace import DigestRecord
from tests.implementation.simulator.worlds import run_of, short_scenario

DELAY = FaultEvent("overtake", 0, 60_000, (0, 1, 2), 5_000_000)


def test_copies_are_compared_once_delayed_backups_have_arrived() -> None:
    drawn = short_scenario()
    client_operations = tuple(
        replace(client_operation, pause_ms=0) for client_operation in drawn.scripts[0].client_operations
    )
    scenario = replace(drawn, sync_backups=0, async_backups=1, scripts=(Script(client_operations, (DELAY,)),))
    _, records = run_of(scenario)

    looks = [record for record in records if isinstance(record, DigestRecord) and record.stage == STILL]
    shown = {(look.partition, look.digest) for look in looks}

    assert {look.role for look in looks} == {"primary", "backup 1"}
    assert len(shown) == scenario.partition_count
