"""Mutants that do not give resources back, or that take more than they may."""

from gridproof_implementation.protocol.anti_entropy.syncs import SyncExpires, Syncs
from gridproof_implementation.protocol.partitioning.messages import MigrationOrder
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.anti_entropy import SyncEnded
from gridproof_model.events.words import WhySyncEnded
from gridproof_model.grid_properties import MAX_PARALLEL_REPLICATIONS
from suite.zoo.mutant import Interposer, MemberMutant, replacing, scripted, writes


def _keep_the_permit(syncs: Syncs, sync: SyncExpires, why: WhySyncEnded) -> None:
    syncs._node.emit(SyncEnded(sync.partition, sync.index, sync.namespace, why))


def _keep_the_place(master: MigrationMaster, order: MigrationOrder) -> None:
    del master.underway[order.partition]
    master._copying[order.primary] -= 1


LOST_UPDATES = tuple(Interposer("Backup", first=place) for place in (2, 4, 6, 8))
"""Updates of several partitions are lost, so that several fragments are asked for."""

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="X13",
        name="permit-kept",
        defect_class="C10",
        rule="A sync that ends with nothing installed keeps its permit and its registration.",
        source="invariant R6; defect HZ-61",
        breaks=("resources-return",),
        plant=replacing(Syncs, "end", _keep_the_permit),
        witness=scripted(
            writes(8, pause_ms=100),
            FaultEvent("crash", 900, 60_000, (0,)),
            interposers=(Interposer("Backup", first=1), Interposer("SyncRequest", count=100)),
            partition_count=1,
        ),
    ),
    MemberMutant(
        number="X14",
        name="place-kept",
        defect_class="C4",
        rule="A migration that has ended keeps the place of its destination.",
        source="migration.3",
        breaks=("resources-return",),
        plant=replacing(MigrationMaster, "_end", _keep_the_place),
        witness=scripted(writes(4), FaultEvent("join", 100, 60_000, (3,))),
    ),
    MemberMutant(
        number="X50",
        name="permits-never-used-up",
        defect_class="C10",
        rule="A backup asks for a fragment however many are on their way.",
        source="sync.9",
        breaks=("configured-limits-are-kept",),
        plant=replacing(Syncs, "free_permits", property(lambda _: 1)),
        witness=scripted(
            writes(40, keys=12),
            interposers=(*LOST_UPDATES, Interposer("SyncAnswer", count=3)),
            properties=(*QUICK, (MAX_PARALLEL_REPLICATIONS.name, "1")),
            partition_count=3,
            members=2,
        ),
    ),
)
