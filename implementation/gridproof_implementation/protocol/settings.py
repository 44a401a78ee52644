"""The configuration in the form that a member uses, with times in microseconds.

The settings are read once from the user's `GridConfig`; `gridproof_model.grid_properties` has their names and
defaults."""

from dataclasses import dataclass

from gridproof_model import grid_properties as known
from gridproof_model.grid_config import GridConfig

MILLISECOND_US = 1_000
SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings that a member needs from its configuration."""

    partition_count: int
    table_send_interval_us: int
    migration_timeout_us: int
    migration_fragments_enabled: bool
    max_parallel_migrations: int
    max_parallel_replications: int
    backup_sync_interval_us: int
    rebalance_delay_us: int
    stale_read_disabled: bool
    graceful_shutdown_max_wait_us: int
    max_no_heartbeat_us: int
    heartbeat_interval_us: int
    mastership_claim_timeout_us: int
    member_list_publish_interval_us: int
    connection_monitor_interval_us: int
    connection_monitor_max_faults: int
    call_timeout_us: int
    """After this time a request is not executed any more; after as long again without a heartbeat the call fails."""
    backup_timeout_us: int
    fail_on_indeterminate_state: bool
    merge_first_run_delay_us: int
    merge_next_run_delay_us: int
    invocation_max_retry_count: int
    invocation_retry_pause_us: int
    backpressure_enabled: bool
    backpressure_sync_window: int
    backpressure_max_invocations: int
    backpressure_backoff_timeout_us: int

    @classmethod
    def of(cls, config: GridConfig) -> "Settings":
        """Return the settings that a configuration contains."""
        value = config.properties.get
        return cls(
            partition_count=value(known.PARTITION_COUNT),
            table_send_interval_us=value(known.TABLE_SEND_INTERVAL) * SECOND_US,
            migration_timeout_us=value(known.MIGRATION_TIMEOUT) * SECOND_US,
            migration_fragments_enabled=value(known.MIGRATION_FRAGMENTS_ENABLED),
            max_parallel_migrations=value(known.MAX_PARALLEL_MIGRATIONS),
            max_parallel_replications=value(known.MAX_PARALLEL_REPLICATIONS),
            backup_sync_interval_us=value(known.BACKUP_SYNC_INTERVAL) * SECOND_US,
            rebalance_delay_us=value(known.REBALANCE_DELAY) * SECOND_US,
            stale_read_disabled=value(known.STALE_READ_DISABLED),
            graceful_shutdown_max_wait_us=value(known.GRACEFUL_SHUTDOWN_MAX_WAIT) * SECOND_US,
            max_no_heartbeat_us=value(known.MAX_NO_HEARTBEAT) * SECOND_US,
            heartbeat_interval_us=value(known.HEARTBEAT_INTERVAL) * SECOND_US,
            mastership_claim_timeout_us=value(known.MASTERSHIP_CLAIM_TIMEOUT) * SECOND_US,
            member_list_publish_interval_us=value(known.MEMBER_LIST_PUBLISH_INTERVAL) * SECOND_US,
            connection_monitor_interval_us=value(known.CONNECTION_MONITOR_INTERVAL) * MILLISECOND_US,
            connection_monitor_max_faults=value(known.CONNECTION_MONITOR_MAX_FAULTS),
            # Choice (calls.22): the call timeout is half of the value of `hazelcast.operation.call.timeout.millis`.
            # The seed document says that a call without an answer fails after two minutes, this property's default.
            # In Hazelcast's code a caller waits for the call timeout, and then for the same time again for a heartbeat.
            call_timeout_us=value(known.OPERATION_CALL_TIMEOUT) * MILLISECOND_US // 2,
            backup_timeout_us=value(known.OPERATION_BACKUP_TIMEOUT) * MILLISECOND_US,
            fail_on_indeterminate_state=value(known.FAIL_ON_INDETERMINATE_STATE),
            merge_first_run_delay_us=value(known.MERGE_FIRST_RUN_DELAY) * SECOND_US,
            merge_next_run_delay_us=value(known.MERGE_NEXT_RUN_DELAY) * SECOND_US,
            invocation_max_retry_count=value(known.INVOCATION_MAX_RETRY_COUNT),
            invocation_retry_pause_us=value(known.INVOCATION_RETRY_PAUSE) * MILLISECOND_US,
            backpressure_enabled=value(known.BACKPRESSURE_ENABLED),
            backpressure_sync_window=value(known.BACKPRESSURE_SYNC_WINDOW),
            backpressure_max_invocations=value(known.BACKPRESSURE_MAX_INVOCATIONS),
            backpressure_backoff_timeout_us=value(known.BACKPRESSURE_BACKOFF_TIMEOUT) * MILLISECOND_US,
        )
