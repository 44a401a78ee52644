"""Mutants of repair and promotion: who becomes the primary."""

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.partitioning.messages import PromotionCommit
from gridproof_implementation.protocol.partitioning.promoting import PromotionMaster, PromotionParticipant
from gridproof_implementation.protocol.partitioning.repair import Repair
from gridproof_implementation.protocol.version_vector import Versions
from gridproof_implementation.simulator.scenario import Strike
from gridproof_model.partition_table import PartitionRow
from gridproof_properties.mutant import replacing
from gridproof_properties.specimen import Specimen
from gridproof_properties.trial import search_campaign, told, writes

TWO_CRASHES = (Strike("crash", 300, 100_000, (0,)), Strike("crash", 300, 100_000, (1,)))


def _first_backup_only(repair: Repair, row: PartitionRow) -> int | None:
    return 1 if row.slots[1] is not None else None


def _leave_zeros(versions: Versions, from_index: int) -> Versions:
    return versions


def _by_address(participant: PromotionParticipant, message: PromotionCommit) -> bool:
    return message.destination.address == participant._node.me.address


def _no_more_than_success(master: PromotionMaster) -> int:
    return 0


SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        number="M09",
        name="first-backup-only",
        defect_class="C6",
        rule="Only the first backup can be promoted.",
        source="bug-zoo HZ-35",
        breaks=("no-member-fails",),
        plant=replacing(Repair, "lowest_survivor", _first_backup_only),
        witness=told(writes(12, keys=12), *TWO_CRASHES, members=5, sync_backups=2, partition_count=11),
        search=search_campaign,
    ),
    Specimen(
        number="M28",
        name="zeros-after-promotion",
        defect_class="C6",
        rule="Who is promoted from the second backup on knows nothing of the counters of hotter backups.",
        source="bug-zoo HZ-38",
        breaks=("backups-converge",),
        plant=replacing(version_vector, "promoted", _leave_zeros),
        search=search_campaign,
    ),
    Specimen(
        number="M37",
        name="promotes-any-incarnation",
        defect_class="C6",
        rule="Whoever has the address of the member that is meant lets itself be promoted.",
        source="bug-zoo HZ-39",
        breaks=("comes-to-rest",),
        plant=replacing(PromotionParticipant, "is_meant", _by_address),
        search=search_campaign,
    ),
    Specimen(
        number="HZ-37",
        name="failed-promotion-raises-nothing",
        defect_class="C6",
        rule="A promotion that failed leaves the version of its row as it was.",
        source="reference partitioning 5.2, point 5",
        breaks=("rows-never-diverge",),
        plant=replacing(PromotionMaster, "failed_increment", _no_more_than_success),
        search=search_campaign,
    ),
)
