"""Mutants that use a value other than the configured one: for a mode, or for each of the times that are judged."""

from collections.abc import Callable
from dataclasses import replace

from gridproof_implementation.protocol.settings import Settings
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model import grid_properties as known
from gridproof_model.grid_config import GridConfig
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import (
    Bug,
    Interposer,
    MemberMutant,
    Search,
    Witness,
    replacing,
    scripted,
    search_campaign,
    search_drawn,
    writes,
)

READ_SETTINGS = Settings.of


def _settings_with(name: str, change: Callable[[int], int]) -> Callable[[GridConfig], Settings]:
    """Return a function that reads settings and gets one of them wrong."""

    def read(config: GridConfig) -> Settings:
        settings = READ_SETTINGS(config)
        return replace(settings, **{name: change(getattr(settings, name))})  # type: ignore[arg-type]

    return read


def _mutant(
    number: str,
    setting: str,
    change: Callable[[int], int],
    rule: str,
    source: str,
    witness: Witness,
    search: Search = search_campaign,
    name: str = "",
    breaks: str = "configured-times-are-held",
) -> MemberMutant:
    called = name or f"wrong-{setting.removesuffix('_us').replace('_', '-')}"
    plant = replacing(Settings, "of", _settings_with(setting, change))
    return Bug(number, called, "C11", source, (breaks,)).by(rule, plant, witness, search)


def _set(*properties: tuple[known.AnyProperty, object]) -> tuple[tuple[str, str], ...]:
    changed = {prop.name: str(value) for prop, value in properties}
    return tuple((dict(QUICK) | changed).items())


CRASH, MACHINE = FaultEvent("crash", 300, 60_000, (1,)), FaultEvent("crash", 300, 60_000, (1,), 1)
SLOWLY = FaultEvent("late", 0, 10, (1,))
"""A fault that stands for the interposed messages, which no record shows: because of it, answers need not come."""
MASTER_CRASH, EARLY_CRASH = FaultEvent("crash", 300, 60_000, (0,)), FaultEvent("crash", 100, 60_000, (0,))
JOIN = FaultEvent("join", 300, 60_000, (3,))
NO_ROOM = _set(
    (known.BACKPRESSURE_ENABLED, "true"),
    (known.BACKPRESSURE_MAX_INVOCATIONS, 1),
    (known.BACKPRESSURE_BACKOFF_TIMEOUT, 2_000),
)
LOCKS = [ClientOperation("lock", OperationKind.LOCK, "lock-0", "60000000", client) for client in range(4)]

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    _mutant("X37", "backup_timeout_us", lambda _: 6_000, "A caller does without backups after 6 ms.", "backups.18",
        scripted(writes(12), interposers=(Interposer("Backup", first=4),))),
    _mutant("X38", "call_timeout_us", lambda us: us // 10, "A call fails after a tenth of the time without a sign.",
        "calls.22", scripted(writes(12), interposers=(Interposer("Request", first=4),))),
    _mutant("X39", "invocation_retry_pause_us", lambda _: 1_000,
        "A caller pauses a millisecond between attempts, however many have failed.", "calls.15",
        scripted(writes(200, 5, keys=12, clients=3), EARLY_CRASH, partition_count=11)),
    _mutant("X40", "backpressure_backoff_timeout_us", lambda us: us // 10,
        "Who finds no room is refused after a tenth of the time.", "calls.26",
        scripted(LOCKS, properties=NO_ROOM, partition_count=1, members=1)),
    _mutant("X41", "migration_timeout_us", lambda us: us // 10, "A sync is given up after a tenth of the time.",
        "sync.10", scripted(writes(12), interposers=(Interposer("Backup", first=4), Interposer("SyncAnswer")))),
    _mutant("X48", "migration_timeout_us", lambda us: us // 10,
        "A migration that nobody answers is given up after a tenth of the time.", "migration.22",
        scripted(writes(12), JOIN, interposers=(Interposer("MigrationOpen", count=50),)),
        name="migration-soon-given-up"),
    _mutant("X42", "rebalance_delay_us", lambda us: us // 10,
        "The master repairs after a tenth of the rebalance delay.", "repair.2",
        scripted(writes(30), CRASH, properties=_set((known.REBALANCE_DELAY, 5)))),
    _mutant("X43", "mastership_claim_timeout_us", lambda us: 3 * us,
        "A candidate waits three times as long for those that do not answer.", "members.21",
        scripted(writes(30), SLOWLY, MASTER_CRASH, interposers=(Interposer("ClaimRequest", count=20),)),
        search_drawn("crash", "split")),
    _mutant("X44", "table_send_interval_us", lambda us: us - us // 4,
        "A table that has not changed is published after three quarters of the interval.", "table.13",
        scripted(writes(30, 200))),
    _mutant("X45", "backup_sync_interval_us", lambda _: 1_000_000, "Copies are compared each second.", "sync.1",
        scripted(writes(30, 1_000), properties=_set((known.BACKUP_SYNC_INTERVAL, 30)))),
    _mutant("X46", "max_no_heartbeat_us", lambda us: us // 3,
        "Who is silent for a third of the time is taken for gone.", "members.11", scripted(writes(30), MACHINE)),
    _mutant("X47", "heartbeat_interval_us", lambda us: 4 * us, "Heartbeats are four times as far apart.", "members.11",
        scripted(writes(30), MACHINE)),
    _mutant("X58", "fail_on_indeterminate_state", lambda strict: not strict,
        "A member is strict where it should not be, and not where it should.", "strict.1",
        scripted(writes(12), properties=_set((known.FAIL_ON_INDETERMINATE_STATE, "true"))), name="mode-of-its-own",
        breaks="strict-as-configured"),
)  # fmt: skip
