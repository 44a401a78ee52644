"""Mutants that do not give resources back, or that take more than they may."""

from gridproof_implementation.protocol.anti_entropy.syncs import Syncs
from gridproof_implementation.protocol.partitioning.messages import MigrationOrder
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.anti_entropy import SyncEnded
from gridproof_model.grid_properties import MAX_PARALLEL_REPLICATIONS
from suite.zoo.mutant import Bug, Interposer, MemberMutant, replacing, scripted, writes


def _keep_the_place(master: MigrationMaster, order: MigrationOrder) -> None:
    del master.underway[order.partition]
    master._copying[order.primary] -= 1


LOST_UPDATES = tuple(Interposer("Backup", first=place) for place in (2, 4, 6, 8))
"""Updates of several partitions are lost, so that several fragments are asked for."""

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("X13", "permit-kept", "C10", "invariant R6; defect HZ-61", breaks=("resources-return",)).by(
        "A sync that ends with nothing installed keeps its permit and its registration.",
        replacing(
            Syncs,
            "end",
            lambda syncs, sync, why: syncs._node.emit(SyncEnded(sync.partition, sync.index, sync.namespace, why)),
        ),
        scripted(
            writes(8, pause_ms=100),
            FaultEvent("crash", 900, 60_000, (0,)),
            interposers=(Interposer("Backup", first=1), Interposer("SyncRequest", count=100)),
            partition_count=1,
        ),
    ),
    Bug("X14", "place-kept", "C4", "migration.3", breaks=("resources-return",)).by(
        "A migration that has ended keeps the place of its destination.",
        replacing(MigrationMaster, "_end", _keep_the_place),
        scripted(writes(4), FaultEvent("join", 100, 60_000, (3,))),
    ),
    Bug("X50", "permits-never-used-up", "C10", "sync.9", breaks=("configured-limits-are-kept",)).by(
        "A backup asks for a fragment however many are on their way.",
        replacing(Syncs, "free_permits", property(lambda _: 1)),
        scripted(
            writes(40, keys=12),
            interposers=(*LOST_UPDATES, Interposer("SyncAnswer", count=3)),
            properties=(*QUICK, (MAX_PARALLEL_REPLICATIONS.name, "1")),
            partition_count=3,
            members=2,
        ),
    ),
)
