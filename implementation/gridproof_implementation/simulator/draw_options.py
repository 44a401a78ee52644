"""The parameters that are set and not drawn: by options, or by the seed in varied runs.

A run for which everything is drawn rarely exercises one feature long enough to reach its rarer cases, such as the loss
of a job's packet, or the end of a member that waits for a lock. In varied runs every second seed draws everything, and
each of the other seeds uses one of the variations.

If a user gives a configuration, it prescribes everything in a scenario that can be configured: partitions, backups, all
known properties, groups, merge policy and split-brain protection. Members, clients and faults are drawn as in other
runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.cell import DRAWN_CELL, Cell
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, BackupCounts, GridConfig, ProtectOn, StructureConfig
from gridproof_model.grid_properties import GRID_PROPERTIES, GROUP_STRATEGY, PARTITION_COUNT
from gridproof_model.groups import GroupType

GROUPS = 2
"""The number of partition groups, if a configuration has groups but does not say how many."""
NOT_DRAWN = (PARTITION_COUNT.name, GROUP_STRATEGY.name)
"""Properties that a scenario does not list among its properties: it has other fields for them, or lacks them."""


@dataclass(frozen=True, slots=True)
class Prescribed:
    """What a user's configuration prescribes, as fields of a scenario."""

    partition_count: int
    backups: BackupCounts
    properties: tuple[tuple[str, str], ...]
    """The names of the properties, and their values as written, sorted by name."""
    group_type: GroupType
    group_count: int
    """The number of groups; 0 if the configuration does not state it: it is then drawn."""
    merge_policy: str
    quorum: int
    """How many members are required for operations; 0 if any number suffices."""
    protect_on: ProtectOn

    @classmethod
    def by(cls, config: GridConfig, structure: StructureConfig) -> "Prescribed":
        """Return what a configuration prescribes if all structures are configured like the given structure."""
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
        """Return a scenario as configured, except its backups and partitions; the number of groups may be drawn."""
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
    """The options that replace what a seed would draw."""

    members: int | None = None
    sync_backups: int | None = None
    faults: tuple[str, ...] | None = None
    """The names of the faults to choose from; empty for a calm run."""
    workload: str | None = None
    client_operations: int = 120
    """The number of operations in one script."""
    minutes: int = 0
    """For how many minutes of virtual time clients work; 0 means for one script."""
    prescribed: Prescribed | None = None
    """What a user's configuration prescribes; None if no configuration is given."""
    jobs: bool = True
    """Whether a stream job runs beside the clients in some runs; a workload with a job of its own always runs it."""
    cell: Cell = DRAWN_CELL
    """All other parameters that are set by name."""
    is_varied: bool = False
    """Whether runs are varied, so that each seed sets some options itself; then no other option is set."""

    @property
    def asked_faults(self) -> tuple[str, ...]:
        """The faults that the user named: faults to choose from, and faults set by their frequency or strength."""
        return tuple(dict.fromkeys([*(self.faults or ()), *self.cell.named_faults()]))

    def of(self, seed: int) -> "DrawOptions":
        """Return the options of a seed; in varied runs, every second seed has one of the variations."""
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
"""The options of varied runs, which the seeds take in turn."""
