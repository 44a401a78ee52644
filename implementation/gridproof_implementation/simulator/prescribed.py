"""What a user's configuration prescribes of drawn runs.

Everything that a scenario can be configured with: partitions, backups, every property that is known, groups, merge
policy and split-brain protection. Members, clients and faults are drawn as always.
"""

from dataclasses import dataclass, replace

from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, BackupCounts, GridConfig, ProtectOn, StructureConfig
from gridproof_model.grid_properties import GRID_PROPERTIES, GROUP_STRATEGY, PARTITION_COUNT
from gridproof_model.groups import GroupType

GROUPS = 2
"""Partition groups, where a configuration has some and nobody says how many."""
NOT_DRAWN = (PARTITION_COUNT.name, GROUP_STRATEGY.name)
"""Properties that stand in a scenario otherwise, or not at all."""


@dataclass(frozen=True, slots=True)
class Prescribed:
    """What is not drawn, as a scenario has it."""

    partition_count: int
    backups: BackupCounts
    properties: tuple[tuple[str, str], ...]
    """Names and values as written, sorted by name."""
    group_type: GroupType
    group_count: int
    """How many groups there are; 0 where the configuration does not say, and they are drawn."""
    merge_policy: str
    quorum: int
    """How many members operations need; 0 for no such number."""
    protect_on: ProtectOn

    @classmethod
    def by(cls, config: GridConfig, structure: StructureConfig) -> "Prescribed":
        """Return what a configuration prescribes where its structures are like this one."""
        groups, rule = config.partition_groups, structure.protection
        known = structure.merge_policy in POLICIES_BY_NAME
        return cls(
            config.partition_count,
            structure.backups,
            tuple(pair for pair in config.properties.texts if pair[0] in GRID_PROPERTIES and pair[0] not in NOT_DRAWN),
            groups.effective_type,
            len(groups.member_groups) if groups.effective_type is GroupType.CUSTOM else 0,
            structure.merge_policy if known else DEFAULT_MERGE_POLICY,
            0 if rule is None else rule.minimum_members,
            ProtectOn.READ_WRITE if rule is None else rule.protect_on,
        )

    def shape(self, scenario: Scenario) -> Scenario:
        """Return a scenario as the configuration has it, but for counts; how many groups there are may be drawn."""
        is_grouped = self.group_type is not GroupType.PER_MEMBER
        return replace(
            scenario,
            zones=(self.group_count or scenario.zones or GROUPS) if is_grouped else 0,
            grouping=self.group_type.value if is_grouped else scenario.grouping,
            properties=self.properties,
            merge_policy=self.merge_policy,
            quorum=self.quorum,
            protect_on=self.protect_on.value,
        )
