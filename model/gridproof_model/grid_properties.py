"""Every Hazelcast property that gridproof knows, under Hazelcast's own name.

Names and defaults are those of settings.1, except where a seed document states others. `PropertySet` keeps the texts
that a user wrote, because members compare texts for some properties (members.6).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Generic, TypeVar, cast

from gridproof_model.hashing import INT_MAX
from gridproof_model.partition_table import DEFAULT_PARTITION_COUNT

Value = TypeVar("Value", bound=int | bool | str)


class PropertyError(ValueError):
    """A property was given a value that it cannot have; the message is one line that names the property."""


class Unit(StrEnum):
    """The unit of a numeric property."""

    MILLISECONDS = "ms"
    SECONDS = "s"
    MEGABYTES = "MB"
    COUNT = ""


@dataclass(frozen=True, slots=True)
class GridProperty(Generic[Value]):
    """A property, whose value has the type of its default: int, bool or str."""

    name: str
    default: Value
    source: str
    unit: Unit = Unit.COUNT
    minimum: int = 0
    """The smallest allowed number; a smaller number is refused."""
    floor: int = 0
    """The number that replaces any smaller number."""
    otherwise: str | None = None
    """The property whose value is used if this property is not set."""

    @property
    def type_name(self) -> str:
        """The type, in words that a user understands."""
        return {bool: "true or false", int: "a whole number", str: "text"}[type(self.default)]

    def read(self, text: str) -> Value:
        """Return the value that a text stands for; raise PropertyError if it stands for no value of this property."""
        value: int | bool | str | None = text.strip()
        if isinstance(self.default, bool):
            value = {"true": True, "false": False}.get(text.strip().lower())
        elif isinstance(self.default, int):
            value = self._read_number(text.strip())
        if value is None:
            raise PropertyError(f'property {self.name} is "{text}"; it must be {self.type_name}')
        return cast(Value, value)

    def _read_number(self, text: str) -> int | None:
        if not (text.isascii() and text.removeprefix("-").removeprefix("+").isdigit()) or len(text) > 20:
            return None
        if int(text) < self.minimum:
            raise PropertyError(f"property {self.name} is {text}; it must be at least {self.minimum}")
        if int(text) > INT_MAX:
            raise PropertyError(f"property {self.name} is {text}; it must be at most {INT_MAX}")
        return max(int(text), self.floor)


SEED_TABLE, SEED_REPLICATION = "seed: Partition Table", "seed: Replication Algorithm for AP Data Structures"
TABLE_8, REPLICATION = "settings.1", "settings.1"
MS, SECONDS = Unit.MILLISECONDS, Unit.SECONDS

PARTITION_COUNT = GridProperty(
    "hazelcast.partition.count", DEFAULT_PARTITION_COUNT, "seed: Partition Group Configuration", minimum=1
)
TABLE_SEND_INTERVAL = GridProperty(
    "hazelcast.partition.table.send.interval", 15, SEED_TABLE, SECONDS, minimum=-(1 << 31), floor=1
)
MIGRATION_INTERVAL = GridProperty("hazelcast.partition.migration.interval", 0, TABLE_8, SECONDS)
MIGRATION_TIMEOUT = GridProperty("hazelcast.partition.migration.timeout", 300, TABLE_8, SECONDS)
MIGRATION_FRAGMENTS_ENABLED = GridProperty("hazelcast.partition.migration.fragments.enabled", True, TABLE_8)
MIGRATION_CHUNKS_ENABLED = GridProperty("hazelcast.partition.migration.chunks.enabled", True, TABLE_8)
MIGRATION_CHUNKS_MAX_DATA = GridProperty(
    "hazelcast.partition.migration.chunks.max.migrating.data.in.mb", 250, TABLE_8, Unit.MEGABYTES
)
MAX_PARALLEL_MIGRATIONS = GridProperty("hazelcast.partition.max.parallel.migrations", 10, TABLE_8, minimum=1)
MAX_PARALLEL_REPLICATIONS = GridProperty(
    "hazelcast.partition.max.parallel.replications", 10, TABLE_8, minimum=1, otherwise=MAX_PARALLEL_MIGRATIONS.name
)
BACKUP_SYNC_INTERVAL = GridProperty("hazelcast.partition.backup.sync.interval", 30, TABLE_8, SECONDS, minimum=1)
REBALANCE_DELAY = GridProperty("hazelcast.partition.rebalance.after.member.left.delay.seconds", 0, TABLE_8, SECONDS)
STALE_READ_DISABLED = GridProperty("hazelcast.partition.migration.stale.read.disabled", False, TABLE_8)
PARTITIONING_STRATEGY_CLASS = GridProperty("hazelcast.partitioning.strategy.class", "", TABLE_8)
GRACEFUL_SHUTDOWN_MAX_WAIT = GridProperty("hazelcast.graceful.shutdown.max.wait", 600, TABLE_8, SECONDS)
MAX_NO_HEARTBEAT = GridProperty("hazelcast.max.no.heartbeat.seconds", 60, TABLE_8, SECONDS, minimum=1)
HEARTBEAT_INTERVAL = GridProperty("hazelcast.heartbeat.interval.seconds", 5, TABLE_8, SECONDS, minimum=1)
MASTERSHIP_CLAIM_TIMEOUT = GridProperty("hazelcast.mastership.claim.timeout.seconds", 120, TABLE_8, SECONDS)
MEMBER_LIST_PUBLISH_INTERVAL = GridProperty(
    "hazelcast.member.list.publish.interval.seconds", 60, TABLE_8, SECONDS, minimum=1
)
# Choice (settings.1): the seeds say 2 minutes; Hazelcast's own code has 60,000 ms.
OPERATION_CALL_TIMEOUT = GridProperty(
    "hazelcast.operation.call.timeout.millis", 120_000, "seed: Invocation Lifecycle", MS, minimum=1
)
OPERATION_BACKUP_TIMEOUT = GridProperty("hazelcast.operation.backup.timeout.millis", 5_000, SEED_REPLICATION, MS)
FAIL_ON_INDETERMINATE_STATE = GridProperty("hazelcast.operation.fail.on.indeterminate.state", False, TABLE_8)
OPERATION_THREAD_COUNT = GridProperty("hazelcast.operation.thread.count", 2, TABLE_8, minimum=1)
"""Choice (settings.1): 2, Hazelcast's minimum. Hazelcast's default depends on the machine; a run must not."""
MERGE_FIRST_RUN_DELAY = GridProperty("hazelcast.merge.first.run.delay.seconds", 300, TABLE_8, SECONDS)
MERGE_NEXT_RUN_DELAY = GridProperty("hazelcast.merge.next.run.delay.seconds", 120, TABLE_8, SECONDS, minimum=1)
INVOCATION_MAX_RETRY_COUNT = GridProperty("hazelcast.invocation.max.retry.count", 250, REPLICATION)
INVOCATION_RETRY_PAUSE = GridProperty("hazelcast.invocation.retry.pause.millis", 500, REPLICATION, MS)
CLIENT_BACKUP_TIMEOUT = GridProperty("hazelcast.client.operation.backup.timeout.millis", 5_000, REPLICATION, MS)
CLIENT_FAIL_ON_INDETERMINATE_STATE = GridProperty(
    "hazelcast.client.operation.fail.on.indeterminate.state", False, REPLICATION
)
CLIENT_INVOCATION_TIMEOUT = GridProperty("hazelcast.client.invocation.timeout.seconds", 120, REPLICATION, SECONDS)
CLIENT_RETRY_PAUSE = GridProperty("hazelcast.client.invocation.retry.pause.millis", 1_000, REPLICATION, MS)
BACKPRESSURE_ENABLED = GridProperty("hazelcast.backpressure.enabled", False, REPLICATION)
BACKPRESSURE_SYNC_WINDOW = GridProperty("hazelcast.backpressure.syncwindow", 100, REPLICATION, minimum=1)
BACKPRESSURE_MAX_INVOCATIONS = GridProperty(
    "hazelcast.backpressure.max.concurrent.invocations.per.partition", 100, REPLICATION, minimum=1
)
BACKPRESSURE_BACKOFF_TIMEOUT = GridProperty("hazelcast.backpressure.backoff.timeout.millis", 60_000, REPLICATION, MS)
CONNECTION_MONITOR_INTERVAL = GridProperty("hazelcast.connection.monitor.interval", 100, REPLICATION, MS)
CONNECTION_MONITOR_MAX_FAULTS = GridProperty("hazelcast.connection.monitor.max.faults", 3, REPLICATION)
GROUP_STRATEGY = GridProperty("gridproof.partition.group.strategy", "", "gridproof's own")
"""The Python callable that makes partition groups of type SPI: `module:callable`, or the name of an entry point."""

AnyProperty = GridProperty[int] | GridProperty[bool] | GridProperty[str]
NUMBERS: tuple[GridProperty[int], ...] = (
    *(PARTITION_COUNT, TABLE_SEND_INTERVAL, MIGRATION_INTERVAL, MIGRATION_TIMEOUT, MIGRATION_CHUNKS_MAX_DATA),
    *(MAX_PARALLEL_MIGRATIONS, MAX_PARALLEL_REPLICATIONS, BACKUP_SYNC_INTERVAL, REBALANCE_DELAY),
    *(GRACEFUL_SHUTDOWN_MAX_WAIT, MAX_NO_HEARTBEAT, HEARTBEAT_INTERVAL, MASTERSHIP_CLAIM_TIMEOUT),
    *(MEMBER_LIST_PUBLISH_INTERVAL, OPERATION_CALL_TIMEOUT, OPERATION_BACKUP_TIMEOUT, OPERATION_THREAD_COUNT),
    *(MERGE_FIRST_RUN_DELAY, MERGE_NEXT_RUN_DELAY, INVOCATION_MAX_RETRY_COUNT, INVOCATION_RETRY_PAUSE),
    *(CLIENT_BACKUP_TIMEOUT, CLIENT_INVOCATION_TIMEOUT, CLIENT_RETRY_PAUSE, BACKPRESSURE_SYNC_WINDOW),
    *(BACKPRESSURE_MAX_INVOCATIONS, BACKPRESSURE_BACKOFF_TIMEOUT, CONNECTION_MONITOR_INTERVAL),
    CONNECTION_MONITOR_MAX_FAULTS,
)
SWITCHES: tuple[GridProperty[bool], ...] = (
    *(MIGRATION_FRAGMENTS_ENABLED, MIGRATION_CHUNKS_ENABLED, STALE_READ_DISABLED, FAIL_ON_INDETERMINATE_STATE),
    *(CLIENT_FAIL_ON_INDETERMINATE_STATE, BACKPRESSURE_ENABLED),
)
TEXTS: tuple[GridProperty[str], ...] = (PARTITIONING_STRATEGY_CLASS, GROUP_STRATEGY)
GRID_PROPERTIES: Mapping[str, AnyProperty] = {
    **{p.name: p for p in NUMBERS},
    **{p.name: p for p in SWITCHES},
    **{p.name: p for p in TEXTS},
}
"""Every property, by name."""


@dataclass(frozen=True, slots=True)
class PropertySet:
    """The properties that a user set; PropertyError if a property cannot have its value."""

    texts: tuple[tuple[str, str], ...] = ()
    """The names and values as the user wrote them, sorted by name."""

    def __post_init__(self) -> None:
        for name, text in self.texts:
            if name in GRID_PROPERTIES:
                GRID_PROPERTIES[name].read(text)

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "PropertySet":
        """Return the property set that has these texts, given by name."""
        return cls(tuple(sorted(texts.items())))

    def get(self, wanted: GridProperty[Value]) -> Value:
        """Return the value of a property; its default if it is not set."""
        text = self.text(wanted.name)
        if text is None and wanted.otherwise is not None:
            text = self.text(wanted.otherwise)
        return wanted.default if text is None else wanted.read(text)

    def text(self, name: str) -> str | None:
        """Return the text that the user wrote for a name; None if there is none."""
        return dict(self.texts).get(name)

    @property
    def notes(self) -> tuple[str, ...]:
        """One line for each property that gridproof does not know; Hazelcast accepts such properties without a word."""
        return tuple(note_unknown(name) for name, _ in self.texts if name not in GRID_PROPERTIES)


def note_unknown(name: str) -> str:
    """Return the line about a property that gridproof does not know, with the property's name."""
    near = get_close_matches(name, GRID_PROPERTIES, n=1, cutoff=0.9)
    cure = f"; did you mean {near[0]}?" if near else ""
    return f"property {name} is kept but changes nothing here{cure}"
