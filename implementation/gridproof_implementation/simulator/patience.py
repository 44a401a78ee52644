"""How long a run waits at most.

Deadlines, not lengths: every wait ends as soon as what is awaited is there. One that is missed is a failure of
liveness.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.settings import SECOND_US, Settings
from gridproof_implementation.simulator.links import SHORTEST_LATE_US
from gridproof_model.grid_config import GridConfig

SYNC_EXPIRY_US = 300 * SECOND_US
"""A sync request that got lost blocks the next one for so long (sync.10)."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The deadlines of one run."""

    busy_us: int
    """Clients at work, faults and all."""
    call_us: int
    """The last calls, once no fault strikes any more (calls.25)."""
    settle_us: int
    """Until members are together, agree and move nothing (table.20, members.14)."""
    synchronise_us: int
    """Until backups are equal to their primaries (sync.18)."""
    late_us: int
    """A message that takes longer than half of what somebody waits for one like it: an acknowledgement, an answer, a
    heartbeat."""

    @classmethod
    def of(cls, config: GridConfig) -> "Patience":
        """Return the deadlines that a configuration means."""
        settings = Settings.of(config)
        detection_us = 2 * settings.max_no_heartbeat_us + 2 * settings.heartbeat_interval_us
        retries_us = settings.invocation_max_retry_count * settings.invocation_retry_pause_us
        call_us = 2 * settings.call_timeout_us + retries_us + settings.backup_timeout_us
        merge_us = settings.merge_first_run_delay_us + 3 * settings.merge_next_run_delay_us
        claim_us = settings.mastership_claim_timeout_us + settings.member_list_publish_interval_us
        settle_us = 3 * (detection_us + claim_us + merge_us + settings.migration_timeout_us)
        return cls(
            busy_us=call_us + settle_us,
            call_us=call_us + detection_us,
            settle_us=settle_us + 60 * SECOND_US,
            synchronise_us=4 * settings.backup_sync_interval_us + 2 * SYNC_EXPIRY_US,
            late_us=max(
                min(settings.backup_timeout_us, settings.call_timeout_us, settings.max_no_heartbeat_us) // 2,
                SHORTEST_LATE_US,
            ),
        )
