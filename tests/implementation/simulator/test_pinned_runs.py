"""Runs of seeds stay what they are.

The hashes were taken before parameters could be set; what an event is called, and what it holds, is no part of them.
"""

from hashlib import sha256

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import DigestRecord, EventRecord, MemberRecord, OperationRecord, Record, RowRecord

PINNED = {
    (0, DrawOptions()): "719ce965652a6748",
    (5, DrawOptions()): "8d62e62a397a9223",
    (16, DrawOptions()): "f4e0956c6f85b1e3",
    (
        3,
        DrawOptions(members=4, sync_backups=2, faults=("crash", "drop", "split"), workload="appends"),
    ): "ddf6a264696f8688",
    (4, DrawOptions(faults=(), workload="register+counter+sets")): "9cc3eb6964d71ec1",
}


def shown(record: Record) -> tuple[object, ...]:
    """Return what happened, without words."""
    match record:
        case OperationRecord():
            asked = record.operation, record.client, record.kind, record.key, record.value
            return *asked, record.outcome, record.start_ms, record.end_ms, record.confirmed_copies
        case RowRecord():
            return record.view, record.partition, record.slots, record.version
        case MemberRecord():
            return record.at_ms, record.member, record.change
        case DigestRecord():
            return record.at_ms, record.member, record.partition, record.entries, record.digest
        case EventRecord():
            return record.at_ms, record.member
        case _:
            return ()


def fingerprint(seed: int, draw_options: DrawOptions) -> str:
    """Return a hash of everything that happens in a run."""
    digest = sha256()
    end = simulate(
        draw_scenario(seed, draw_options),
        lambda record: digest.update(repr(shown(record)).encode()),
        recorded=frozenset(),
    )
    digest.update(repr((end.events, end.virtual_ms, end.operations, end.restless)).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize(("asked", "pinned"), PINNED.items(), ids=lambda value: str(value)[:20])
def test_a_run_is_what_it_always_was(asked: tuple[int, DrawOptions], pinned: str) -> None:
    assert fingerprint(*asked) == pinned
