"""From what a user typed to options."""

from collections.abc import Iterable
from pathlib import Path

from gridproof.errors import UsageError
from gridproof_implementation.adapter import Adapter, Options
from gridproof_model.grid_config import DEFAULT_STRUCTURE, BackupCounts, GridConfig, StructureKind
from gridproof_model.partition_table import MAX_BACKUP_COUNT

MEMBERS_MAX = 100
"""More are not audited at once: time grows with their square."""


def make_options(
    adapters: Iterable[Adapter],
    *,
    member_count: int,
    backup_count: int | None,
    seed: int,
    config: Path | None,
    hosts: str | None,
) -> Options:
    """Return the options; `hosts` are parted by commas.

    Without a backup count the configuration's default map decides, and without a configuration it is 1. UsageError when
    a number is out of range, or when an adapter takes no configuration and one is given; ConfigError for the file.
    """
    if member_count < 1:
        raise UsageError(f"--members {member_count}: a grid has at least one member")
    if member_count > MEMBERS_MAX:
        raise UsageError(f"--members {member_count}: at most {MEMBERS_MAX} members are audited at once")
    loaded = None if config is None else _loaded(config)
    asked = BackupCounts() if loaded is None else loaded.backups_of(StructureKind.MAP, DEFAULT_STRUCTURE)
    if backup_count is None:
        backup_count = asked.total
    if not 0 <= backup_count <= MAX_BACKUP_COUNT:
        raise UsageError(f"--backups {backup_count}: a partition has 0 to {MAX_BACKUP_COUNT} backups")
    names = tuple(host.strip() for host in hosts.split(",")) if hosts else ()
    if not all(names):
        raise UsageError(f"--hosts {hosts}: a host has no name; give one a comma")
    deaf = next((adapter.name for adapter in adapters if not adapter.takes_config), None)
    if deaf is not None and (loaded is not None or names):
        raise UsageError(f"{deaf} takes no --config and no --hosts; leave them out, or check the reference")
    partition_count = Options().partition_count if loaded is None else loaded.partition_count
    asynchronous = asked.asynchronous if backup_count == asked.total else 0
    return Options(
        seed,
        member_count,
        backup_count,
        partition_count,
        config=loaded,
        hosts=names,
        async_backup_count=asynchronous,
    )


def _loaded(config: Path) -> GridConfig:
    # Imported now: most checks have no configuration, and need no parser of YAML and XML.
    from gridproof_implementation.config import load_config

    return load_config(config)
