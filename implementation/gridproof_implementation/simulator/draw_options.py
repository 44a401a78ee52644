"""What is not left to be drawn: set by options, or by the seed where runs are varied.

A draw from everything is rarely about one thing long enough to meet its rarer cases: a packet of a job that is lost, a
lock whose waiter ends. Of varied runs every second seed draws from everything, each other from one of the variations.

What a user's configuration prescribes of drawn runs. Everything that a scenario can be configured with: partitions,
backups, every property that is known, groups, merge policy and split-brain protection. Members, clients and faults are
drawn as always.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.cell import DRAWN_CELL, Cell
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


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """What is not to be drawn."""

    members: int | None = None
    sync_backups: int | None = None
    faults: tuple[str, ...] | None = None
    """Names of the faults to choose from; none for a calm run."""
    workload: str | None = None
    client_operations: int = 120
    """For one script."""
    minutes: int = 0
    """Of virtual time that clients are at work; 0 for one script."""
    prescribed: Prescribed | None = None
    """What a user's configuration says."""
    jobs: bool = True
    """Whether some runs carry a job; those of a workload that has one carry it in any case."""
    cell: Cell = DRAWN_CELL
    """What else is set by name."""
    is_varied: bool = False
    """Whether each seed sets some of these itself; then nothing else is set here."""

    @property
    def asked_faults(self) -> tuple[str, ...]:
        """The faults that somebody named: to choose from, or how often and how much."""
        return tuple(dict.fromkeys([*(self.faults or ()), *self.cell.named_faults()]))

    def of(self, seed: int) -> "DrawOptions":
        """Return the options of a seed; of varied ones every second seed is left to draw everything."""
        if not self.is_varied:
            return self
        return VARIATIONS[seed // 2 % len(VARIATIONS)] if seed % 2 else DrawOptions()


VARIATIONS: Sequence[DrawOptions] = (
    DrawOptions(workload="jobs"),
    DrawOptions(workload="jobs", faults=("drop", "delay", "overtake", "lost-once")),
    DrawOptions(workload="jobs", faults=("crash", "join", "leave", "restart")),
    DrawOptions(workload="safety"),
    DrawOptions(workload="safety", faults=("crash", "leave", "join", "cluster-state", "failing-backup")),
    DrawOptions(workload="queue+lock+counter"),
    DrawOptions(workload="queue+lock", faults=("crash", "leave", "join", "restart")),
    DrawOptions(workload="cells+sets", faults=("promote-lite", "cluster-state", "leave", "join")),
    DrawOptions(workload="entries+sets", faults=("broken-connection", "drop", "lost-once")),
    DrawOptions(workload="appends", sync_backups=2),
    DrawOptions(workload="entries", faults=("pause", "slow", "skew")),
    DrawOptions(faults=("crash", "split", "overlapping-split"), members=5),
    DrawOptions(faults=("late", "next-incarnation", "late-restart", "duplicate")),
    DrawOptions(faults=("duplicate", "cluster-state", "join", "leave")),
    DrawOptions(members=2),
    DrawOptions(faults=()),
)
"""What a seed leaves no choice of, by turns."""
