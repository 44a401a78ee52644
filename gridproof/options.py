"""From what a user typed to options."""

from collections.abc import Iterable, Sequence

from gridproof.configuration import Given, chosen_map
from gridproof.errors import UsageError
from gridproof_implementation.adapter import Adapter, Options
from gridproof_model.grid_config import BackupCounts
from gridproof_model.grid_properties import PARTITION_COUNT
from gridproof_model.partition_table import MAX_BACKUP_COUNT

MEMBERS_MAX = 100
"""More are not audited at once: time grows with their square."""
PARTITIONS_MAX = 10_000
"""As above; an audit of so many takes some minutes."""


def make_options(
    adapters: Iterable[Adapter],
    *,
    member_count: int,
    backup_count: int | None,
    async_backup_count: int | None = None,
    seed: int,
    given: Given,
    system_version: str = "",
) -> Options:
    """Return the options.

    Without a backup count the configuration's map decides, and without a configuration it is 1. UsageError when a
    number is out of range, when an adapter takes no configuration and one is given, or has no such release; ConfigError
    for the file.
    """
    adapters = tuple(adapters)
    _check_version(system_version, adapters)
    if member_count < 1:
        raise UsageError(f"--members {member_count}: a grid has at least one member")
    if member_count > MEMBERS_MAX:
        raise UsageError(f"--members {member_count}: at most {MEMBERS_MAX} members are audited at once")
    config = given.load()
    if config is not None and config.partition_count > PARTITIONS_MAX:
        few = f"at most {PARTITIONS_MAX:,} partitions are audited at once"
        raise UsageError(f"--config {given.file}: {PARTITION_COUNT.name} is {config.partition_count:,}; {few}")
    backups, asynchronous = _backup_counts(chosen_map(config, given.map_name).backups, backup_count, async_backup_count)
    hosts, attributes = given.host_names(config), given.attributes(config)
    deaf = next((adapter.name for adapter in adapters if not adapter.takes_config), None)
    if deaf is not None and (config is not None or hosts):
        raise UsageError(f"{deaf} takes no --config and no --hosts; leave them out, or check the reference")
    return Options(
        seed,
        member_count,
        backups,
        Options().partition_count if config is None else config.partition_count,
        config=config,
        hosts=hosts,
        attributes=attributes,
        async_backup_count=asynchronous,
        system_version=system_version,
    )


def _backup_counts(asked: BackupCounts, total: int | None, asynchronous: int | None) -> tuple[int, int]:
    """Return how many backups there are, and how many of them are async: as typed, else as a map asks for."""
    if total is None:
        total = asked.total
    if not 0 <= total <= MAX_BACKUP_COUNT:
        raise UsageError(f"--backups {total}: a partition has 0 to {MAX_BACKUP_COUNT} backups")
    if asynchronous is None:
        asynchronous = asked.asynchronous if total == asked.total else 0
    if not 0 <= asynchronous <= total:
        raise UsageError(f"--async-backups {asynchronous}: of {total} backups, 0 to {total}")
    return total, asynchronous


def _check_version(version: str, adapters: Sequence[Adapter]) -> None:
    for adapter in adapters if version else ():
        if version not in adapter.versions:
            known = ", ".join(adapter.versions)
            cure = f"it has {known}" if known else "it is audited in the release that is installed; leave it out"
            raise UsageError(f"--system-version {version}: not of {adapter.name}: {cure}")
