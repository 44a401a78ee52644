"""How long each timer of a member runs, and which timers are set while the grid is at rest.

A member does its work when a timer expires. If a timer is set for a wrong time, is never set again, or stays set when
its purpose is over, the outcome of a run seldom shows it.
"""

from collections.abc import Callable, Iterator, Mapping

from gridproof_model.events.conditions import Configured
from gridproof_model.events.harness import ResourcesHeld
from gridproof_properties.judging.words import count

US = 1_000
FIXED_MS = {
    **dict.fromkeys(("AskAgain", "CheckAgain", "JoinRetry", "KeepResult", "MergeRetry", "NextSlice"), 1_000),
    **dict.fromkeys(("NudgeAgain", "PromotionRetry", "ReplayDue", "ReportEnd", "SendAgain"), 1_000),
    **dict.fromkeys(("SendToMaster", "StateRetry"), 1_000),
    **dict.fromkeys(("ClaimRetry", "RepeatFetch", "RepeatMigrations", "RepeatPromotions"), 5_000),
    **dict.fromkeys(("CheckTimesOut", "EarlyOver", "MasterSilent", "ScaleUp"), 10_000),
    **dict.fromkeys(("MergeTimeout", "StateLeaseOver"), 60_000),
    "StateLockTimeout": 30_000,
}
"""Timers whose time cannot be configured; `EarlyOver` runs twice as long as a master waits before it repeats an
order."""
CONFIGURED_MS: Mapping[str, Callable[[Configured], int]] = {
    "ClaimTimeout": lambda configured: configured.claim_wait_ms,
    "DelayOver": lambda configured: configured.rebalance_delay_ms,
    "HeartbeatDue": lambda configured: configured.heartbeat_interval_ms,
    "MembersSilent": lambda configured: configured.leave_wait_ms,
    "ReleaseAnew": lambda configured: configured.retry_pause_ms,
    "ReportRunning": lambda configured: max(1_000, configured.call_timeout_ms // 4),
    "SendTable": lambda configured: configured.table_send_interval_ms,
    "SyncExpires": lambda configured: configured.migration_timeout_ms,
}
BETWEEN_MS: Mapping[str, tuple[int, Callable[[Configured], int]]] = {
    "LookForRoom": (1, lambda configured: configured.retry_pause_ms),
    "NextRound": (1_000, lambda configured: max(1_000, configured.sync_interval_ms)),
    "RestOver": (0, lambda _: 3_000),
    "Scan": (0, lambda _: 1_000),
    "ScanJobs": (0, lambda _: 1_000),
    "StartJob": (0, lambda _: 2_000),
    "TryAgain": (1, lambda configured: configured.retry_pause_ms),
    "WriteAgain": (0, lambda configured: configured.retry_pause_ms),
}
"""Timers whose time varies, each with the shortest and the longest time."""
ALWAYS = (("HeartbeatDue",), ("NextRound", "NextSlice"), ("PublicationDue",), ("ReportRunning",), ("SearchDue",),
          ("SendTable",))  # fmt: skip
"""Timers that are set all the time while a member lives: exactly one of each, under one of its names."""
STAY = frozenset(
    {"CheckAgain", "DelayOver", "EarlyOver", "NudgeAgain", "ReleaseAnew", "RepeatMigrations", "Scan", "ScanJobs"}
)
"""Timers that may be set at rest, though they find nothing to do when they expire."""
OF_JOBS = frozenset(
    {"BeginSnapshot", "EmitItems", "KeepResult", "ReportEnd", "ScaleUp", "SendToMaster", "StartJob", "WriteAgain"}
)
SET_FOR = {
    "AskAgain": "job_questions",
    "CheckTimesOut": "safe_checks",
    "LookForRoom": "calls_outside",
    "SendAgain": "executions",
    "SyncExpires": "sync_permits",
    "WaitIsOver": "parked_operations",
}
"""For each of these timers, the kind of resource: a member has one such timer for each resource that it holds."""
AT_MOST_FOR = {"CheckAgain": "safe_questions", "MasterSilent": "safe_questions", "MembersSilent": "safe_questions",
               "TimeOver": "safe_questions", "TryAgain": "calls"}  # fmt: skip


def limits_ms(kind: str, configured: Configured) -> tuple[int, int] | None:
    """Return the shortest and the longest time of a kind of timer; None if they are not known."""
    if kind in FIXED_MS:
        return FIXED_MS[kind], FIXED_MS[kind]
    if kind in CONFIGURED_MS:
        exact_ms = CONFIGURED_MS[kind](configured)
        return exact_ms, exact_ms
    if kind in BETWEEN_MS:
        least_ms, most_ms = BETWEEN_MS[kind]
        return least_ms, most_ms(configured)
    return None


def set_for_another_time(held: ResourcesHeld, configured: Configured) -> Iterator[str]:
    """Yield which timers a member has set for a wrong time since it was last looked at."""
    for kind, delay_us in held.delays_us:
        limits = limits_ms(kind, configured)
        if limits is not None and limits[1] > 0 and not limits[0] * US <= delay_us <= limits[1] * US:
            yield f"set a timer {kind} for {delay_us:,} us, but has to set it for {limits[0]:,} to {limits[1]:,} ms"


def not_as_at_rest(held: ResourcesHeld, *, has_job: bool) -> Iterator[str]:
    """Yield which timers of a member at rest are set without need, or are not set though they have to be."""
    counts, waiting = dict(held.counts), dict(held.timers)
    if not held.timers:
        return
    for kinds in ALWAYS:
        if (number := sum(waiting.pop(kind, 0) for kind in kinds)) != 1:
            yield f"{count(number, 'timer')} {' or '.join(kinds)} (exactly one is needed)"
    if counts["attempts"] and not waiting.get("Scan"):
        yield "no timer Scan for its calls under way"
    for kind, resource in SET_FOR.items():
        if (number := waiting.pop(kind, 0)) != counts[resource]:
            held_one = resource.replace("_", " ").removesuffix("s")
            needed = f"{counts[resource]:,}, one for each {held_one} that it holds"
            due = needed if counts[resource] else f"none, as it holds no {held_one}"
            yield f"{count(number, 'timer') if number else 'no timer'} {kind}, but has to have {due}"
    for kind, number in waiting.items():
        if kind not in STAY and not (has_job and kind in OF_JOBS) and number > counts.get(AT_MOST_FOR.get(kind, ""), 0):
            yield f"{count(number, 'timer')} {kind} that nothing needs"
