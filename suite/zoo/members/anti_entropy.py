"""Mutants of anti-entropy: of how summaries are compared, syncs requested, and fragments replaced."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast
from unittest.mock import patch

from gridproof_implementation.protocol.anti_entropy import rounds
from gridproof_implementation.protocol.anti_entropy.messages import Summary
from gridproof_implementation.protocol.anti_entropy.syncs import Syncs
from gridproof_implementation.protocol.entry import Entry
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replication.store import FragmentStore
from gridproof_implementation.protocol.structures.map import MapPart
from gridproof_implementation.simulator.cell import Cell
from gridproof_implementation.simulator.distributions import Constant, Uniform
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import (
    CLIENT_OPERATIONS,
    Bug,
    Interposer,
    MemberMutant,
    leaving_out,
    played,
    replacing,
    scripted,
    search_drawn,
    writes,
)

_replace = FragmentStore.replace_fragment
_keep_as = FragmentStore.keep_as
FAILING = (FaultEvent("failing-backup", 150, 1_000, (0,)), FaultEvent("failing-backup", 150, 1_000, (1,)))
REMOVAL = ClientOperation("register", OperationKind.REMOVE, "register-0", pause_ms=300)
LATER = ClientOperation("register", OperationKind.READ, "register-0", pause_ms=3_000)
MISSED = ("failing-backup", "drop", "lost-once")
"""The faults that keep updates from a backup."""
search_missed = search_drawn(*MISSED, client_operations=2 * CLIENT_OPERATIONS, workload="register")

SLOW_UPDATES = Interposer("Backup", count=100, late_us=60_000)
SLOW = Uniform(1e3, 9e3)
OPEN = Cell(plain=True, partitions=1, latency=SLOW, arrival=Constant(2e3), time_ms=4_000, quick=True)
"""A grid with slow links and clients that wait for nothing, so that updates are always under way."""
ONE_ADDITION = Scenario(
    1,
    partition_count=1,
    workload="counter",
    scripts=(Script((ClientOperation("counter", OperationKind.ADD, "counter-2"),)),),
    arranged=False,
)
"""The first backup message overtakes the table, and is therefore dropped."""
Entries = tuple[tuple[str, Entry], ...]


def _add_to_what_is_there(store: FragmentStore, partition: int, data: FragmentData, index: int) -> None:
    before = store.find_fragment(partition, data.namespace)
    _replace(store, partition, data, index)
    for structure, part in ({} if before is None else before.structures).items():
        if isinstance(part, MapPart):
            now = store.structure_in(store.fragment(partition, data.namespace), structure)
            old, new = cast("Entries", part.replica_data()), cast("Entries", now.replica_data())
            now.load(tuple((dict(old) | dict(new)).items()))


def _clear_then_sync(store: FragmentStore, partition: int, index: int | None) -> None:
    held = store.namespaces(partition)
    if not index:
        _keep_as(store, partition, index)
        return
    _keep_as(store, partition, None)
    store._node.anti_entropy.trigger_sync(partition, held)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M12", "sync-adds", "C10", "defect HZ-62", breaks=("backups-converge",)).by(
        "The answer to a sync is added to what the backup has.",
        replacing(FragmentStore, "replace_fragment", _add_to_what_is_there),
        scripted([*writes(2), REMOVAL, LATER], *FAILING, members=2, partition_count=1),
        search_missed,
    ),
    Bug("M20", "slot-for-entry", "C10", "defect HZ-51", breaks=("refines-replication",)).by(
        "A summary carries the entry of the next backup, because slots begin at 1 and the vector at 0.",
        lambda: patch.object(
            rounds, "version_vector", SimpleNamespace(entry_of=lambda versions, index: (*versions, 0)[index])
        ),
        played(ONE_ADDITION),
    ),
    Bug("M29", "clear-then-sync", "C6", "defect HZ-29", breaks=("comes-to-rest",)).by(
        "Who gets another slot drops what it has, then asks the primary for it.",
        replacing(FragmentStore, "keep_as", _clear_then_sync),
        scripted(
            [*writes(12, keys=12), replace(LATER, pause_ms=5_000)],
            FaultEvent("crash", 500, 100_000, (0,)),
            FaultEvent("crash", 3_500, 100_000, (1,)),
            interposers=(Interposer("SyncAnswer", count=10_000),),
            sync_backups=2,
        ),
    ),
    Bug(
        "M34",
        "answer-of-a-former-primary",
        "C10",
        "defect P-25",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes"),
    ).by(
        "A sync that was asked of the former primary is still installed.",
        leaving_out(Syncs, "primary_changed"),
        scripted(
            writes(24, 100, keys=8),
            FaultEvent("join", 1_500, 60_000, (2,)),
            FaultEvent("crash", 3_200, 60_000, (2,)),
            interposers=(Interposer("Backup", first=3), Interposer("SyncAnswer", late_us=2_000_000)),
            partition_count=3,
            members=2,
        ),
    ),
    Bug("X63", "summary-overtakes", "C10", "sync.2", breaks=("no-needless-sync",)).by(
        "A summary is urgent, so that it overtakes updates sent before it.",
        replacing(Summary, "URGENT", True),
        scripted(writes(60, pause_ms=50), interposers=(SLOW_UPDATES,), members=2, partition_count=1),
        search_drawn(cell=OPEN),
    ),
)
