"""What is set instead of drawn: by options, or by the seed in varied runs.

A run that is drawn from everything is rarely about one thing long enough to reach its rarer cases, such as a lost
packet of a job or a lock whose waiter ends. In varied runs every second seed draws from everything, and each other seed
from one of the variations.

A user's configuration prescribes everything that a scenario can be configured with: partitions, backups, every known
property, groups, merge policy and split-brain protection. Members, clients and faults are drawn as always.
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
"""The number of partition groups, if a configuration has groups and does not say how many."""
NOT_DRAWN = (PARTITION_COUNT.name, GROUP_STRATEGY.name)
"""Properties that a scenario has under other names, or not at all."""


@dataclass(frozen=True, slots=True)
class Prescribed:
    """What a configuration prescribes, as fields of a scenario."""

    partition_count: int
    backups: BackupCounts
    properties: tuple[tuple[str, str], ...]
    """Names and values as written, sorted by name."""
    group_type: GroupType
    group_count: int
    """How many groups there are; 0 if the configuration does not say, so that they are drawn."""
    merge_policy: str
    quorum: int
    """How many members operations need; 0 if any number will do."""
    protect_on: ProtectOn

    @classmethod
    def by(cls, config: GridConfig, structure: StructureConfig) -> "Prescribed":
        """Return what a configuration prescribes if all structures are configured like this one."""
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
        """Return a scenario as configured, except for its counts; the number of groups may be drawn."""
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
    """Options that replace what a seed would draw."""

    members: int | None = None
    sync_backups: int | None = None
    faults: tuple[str, ...] | None = None
    """Names of the faults to choose from; none for a calm run."""
    workload: str | None = None
    client_operations: int = 120
    """How many operations one script has."""
    minutes: int = 0
    """For how many minutes of virtual time clients are at work; 0 for one script."""
    prescribed: Prescribed | None = None
    """What a user's configuration prescribes, if one is given."""
    jobs: bool = True
    """Whether some runs carry a job; runs of a workload with a job carry it in any case."""
    cell: Cell = DRAWN_CELL
    """The other parameters that are set by name."""
    is_varied: bool = False
    """Whether each seed sets some options itself; then nothing else is set here."""

    @property
    def asked_faults(self) -> tuple[str, ...]:
        """The faults that the user named: to choose from, or each with how often and how strongly it strikes."""
        return tuple(dict.fromkeys([*(self.faults or ()), *self.cell.named_faults()]))

    def of(self, seed: int) -> "DrawOptions":
        """Return the options of a seed; in varied runs every second seed draws everything."""
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
"""The options of the varied seeds, which take them in turn."""
