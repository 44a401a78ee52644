"""A member's configuration, as far as partitions depend on it."""

from dataclasses import dataclass, field
from enum import StrEnum

from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_model.groups import PartitionGroupConfig
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.routing import base_name
from gridproof_model.user_error import UserError

DEFAULT_CLUSTER_NAME = "dev"
DEFAULT_STRUCTURE = "default"
"""The name of the configuration that applies to structures without a configuration of their own."""
DEFAULT_MERGE_POLICY = "PutIfAbsentMergePolicy"
"""The merge policy of every structure whose configuration names none (splits.8)."""
NOT_GROUPED = PartitionGroupConfig(enabled=False)
"""The grouping of a member whose configuration has no partition groups."""


class GridConfigError(UserError, ValueError):
    """A configuration that no member can have; the error message is one line."""


class StructureKind(StrEnum):
    """The kinds of data structures whose backups are configured."""

    MAP = "map"
    MULTIMAP = "multimap"
    QUEUE = "queue"
    LIST = "list"
    SET = "set"
    RINGBUFFER = "ringbuffer"
    CACHE = "cache"
    CARDINALITY_ESTIMATOR = "cardinality-estimator"


@dataclass(frozen=True, slots=True)
class BackupCounts:
    """How many sync and how many async backups a structure has; at most six in all (backups.3)."""

    sync: int = 1
    """How many sync backups there are; a caller waits for the acknowledgements of these."""
    asynchronous: int = 0
    """How many async backups there are; no caller waits for these."""

    def __post_init__(self) -> None:
        if self.sync < 0 or self.asynchronous < 0:
            raise GridConfigError(f"{self.sync} sync and {self.asynchronous} async backups: both must be 0 or more")
        if self.total > MAX_BACKUP_COUNT:
            raise GridConfigError(
                f"{self.sync} sync and {self.asynchronous} async backups are {self.total} in all; "
                f"a partition has at most {MAX_BACKUP_COUNT} backups, so set fewer"
            )

    @property
    def total(self) -> int:
        """How many backups there are in all, sync and async."""
        return self.sync + self.asynchronous


class ProtectOn(StrEnum):
    """Which operations split-brain protection refuses."""

    READ = "READ"
    WRITE = "WRITE"
    READ_WRITE = "READ_WRITE"


@dataclass(frozen=True, slots=True)
class SplitBrainProtection:
    """How many members a cluster needs so that a structure's operations are executed (splits.2)."""

    name: str
    minimum_members: int = 2
    """The smallest number of data members; a cluster with fewer may be the smaller half of a split."""
    protect_on: ProtectOn = ProtectOn.READ_WRITE

    def refuses(self, data_members: int, *, is_read: bool) -> bool:
        """Return whether the protection refuses an operation in a cluster with this number of data members."""
        spared = ProtectOn.WRITE if is_read else ProtectOn.READ
        return data_members < self.minimum_members and self.protect_on is not spared


@dataclass(frozen=True, slots=True)
class StructureConfig:
    """The configuration of the structures with a given name, or whose names match a pattern."""

    kind: StructureKind
    name: str
    """A name, or a pattern with one `*`."""
    backups: BackupCounts = field(default_factory=BackupCounts)
    merge_policy: str = DEFAULT_MERGE_POLICY
    """Which entry is kept when two halves of a cluster merge: the policy's class, without its package."""
    protection: SplitBrainProtection | None = None
    """The protection that refuses the structure's operations in the smaller half of a split; None if there is none."""


def describe_structure(config: StructureConfig) -> str:
    """Return a clause that says what is configured for a structure."""
    policy = "" if config.merge_policy == DEFAULT_MERGE_POLICY else f", {config.merge_policy}"
    rule = config.protection
    guarded = "" if rule is None else f", {rule.minimum_members} members for operations to {rule.protect_on}"
    counts = f"{config.backups.sync} sync and {config.backups.asynchronous} async backups"
    return f'{config.kind} "{config.name}": {counts}{policy}{guarded}'


JOB_MAPS = StructureConfig(StructureKind.MAP, "__jet.*", merge_policy="DiscardMergePolicy")
"""The configuration of the maps in which stream jobs keep data, unless a user configures the same pattern (jobs.3)."""


@dataclass(frozen=True, slots=True)
class GridConfig:
    """The configuration of one member; two with the same content are equal, whatever files they came from."""

    cluster_name: str = DEFAULT_CLUSTER_NAME
    partition_groups: PartitionGroupConfig = NOT_GROUPED
    structures: tuple[StructureConfig, ...] = ()
    """The configurations of structures, sorted by kind and name."""
    lite: bool = False
    attributes: tuple[tuple[str, str], ...] = ()
    """The member's own attributes, sorted by name."""
    properties: PropertySet = field(default_factory=PropertySet)
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Notes for the user about what has no effect in the file, or is not supported."""
    taken: tuple[str, ...] = field(default=(), compare=False)
    """The lines of the user's configuration file that take effect, each with its place in the file."""

    @property
    def partition_count(self) -> int:
        """How many partitions the cluster has."""
        return self.properties.get(PARTITION_COUNT)

    def backups_of(self, kind: StructureKind, name: str) -> BackupCounts:
        """Return a structure's backup counts by its name, as in `jobs@region1`; GridConfigError if two patterns fit."""
        config = self.structure_config(kind, name)
        return BackupCounts() if config is None else config.backups

    def merge_policy_of(self, kind: StructureKind, name: str) -> str:
        """Return the merge policy of a structure by its name; GridConfigError if two patterns match equally well."""
        config = self.structure_config(kind, name)
        return DEFAULT_MERGE_POLICY if config is None else config.merge_policy

    def structure_config(self, kind: StructureKind, name: str) -> StructureConfig | None:
        """Return the configuration of a structure by its name; None if it has none.

        The part of the name before the first `@` is looked up (keys.9): first as a name, then as the longest pattern
        that matches, and then `default`. Raise GridConfigError if two patterns match equally well.
        """
        known = {config.name: config for config in (JOB_MAPS, *self.structures) if config.kind is kind}
        wanted = base_name(name)
        if wanted in known:
            return known[wanted]
        fits = sorted((len(pattern), pattern) for pattern in known if _is_meant(pattern, wanted))
        if len(fits) > 1 and fits[-1][0] == fits[-2][0]:
            both = f'the patterns "{fits[-2][1]}" and "{fits[-1][1]}"'
            raise GridConfigError(f'{kind} "{wanted}" fits {both} equally well; configure "{wanted}" itself')
        return known[fits[-1][1]] if fits else known.get(DEFAULT_STRUCTURE)


def why_not_joining(master: GridConfig, joiner: GridConfig) -> str | None:
    """Return why a member may not join a cluster, as one sentence; None if it may join (members.6, keys.10).

    Only these are compared: the cluster name, whether and how partitions are grouped (but not the interfaces of
    groups), and the text of the partition count, so that a member without a count differs from one that writes out the
    default.
    """
    compared: list[tuple[str, object, object]] = [
        ("cluster name", master.cluster_name, joiner.cluster_name),
        ("partition grouping", _say_grouping(master), _say_grouping(joiner)),
        (PARTITION_COUNT.name, _written_count(master), _written_count(joiner)),
    ]
    different = next((line for line in compared if line[1] != line[2]), None)
    if different is None:
        return None
    what, here, there = different
    return f"{what} is {here} in the cluster and {there} at the member that joins"


def _is_meant(pattern: str, name: str) -> bool:
    start, star, end = pattern.partition("*")
    return star != "" and name.startswith(start) and name.endswith(end)


def _say_grouping(config: GridConfig) -> str:
    groups = config.partition_groups
    return f"{groups.type} ({'enabled' if groups.enabled else 'disabled'})"


def _written_count(config: GridConfig) -> str:
    return config.properties.text(PARTITION_COUNT.name) or "not set"
