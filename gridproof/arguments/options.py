"""Makes the options of an audit from what a user typed."""

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, assert_never

from gridproof.arguments.configuration import Given, chosen_map
from gridproof.arguments.followed import Subject
from gridproof.command import UsageError
from gridproof_implementation.adapter import MEMBERS_MAX, Adapter, AsyncBackups, Kind, Options
from gridproof_model.grid_config import BackupCounts
from gridproof_model.grid_properties import PARTITION_COUNT
from gridproof_model.partition_table import MAX_BACKUP_COUNT

_RELEASE = re.compile(r"\d[A-Za-z0-9._+-]{0,60}")
"""What the name of a release may look like; it becomes part of paths and of other programs' command lines."""
PARTITIONS_MAX = 10_000
"""The most partitions that a user may ask for; an audit of this many takes some minutes."""


def subject_of(adapter: Adapter) -> Subject:
    """Return which kind of subject a system is for an audit."""
    match adapter.kind:
        case Kind.ROUTER:
            return Subject.ROUTER
        case Kind.PLACER:
            return Subject.PLACER
        case Kind.GRID if adapter.takes_config:
            return Subject.CONFIGURED_GRID if adapter.repeatable else Subject.CONFIGURED_MEMBERS
        case Kind.GRID:
            return Subject.OTHER_GRID if adapter.repeatable else Subject.LIVE_GRID
        case _:
            assert_never(adapter.kind)


def make_options(
    adapters: Iterable[Adapter],
    *,
    member_count: int | None,
    backup_count: int | None,
    async_backup_count: int | None = None,
    seed: int,
    given: Given,
    system_version: str = "",
) -> Options:
    """Return the options; an argument that is None was not given, and gets its usual value.

    If no backup count is given, the configuration's map decides; without a configuration, the count is 1. Raise
    UsageError if a number is out of range, or if an adapter has no such release or no async backups; raise ConfigError
    if the file is wrong.
    """
    adapters = tuple(adapters)
    check_version(system_version, adapters)
    counts = {"member_count": member_count, "backup_count": backup_count}
    named = frozenset(name for name, count in counts.items() if count is not None)
    usual = Options()
    members, nodes = member_count or usual.member_count, member_count or usual.node_count
    if seed < 0:  # Python's random generator ignores the sign of a seed
        raise UsageError(f"--seed {seed}: write a whole number of at least 0")
    if member_count is not None and member_count < 1:
        raise UsageError(f"--members {member_count}: a grid has at least one member; write 1 or more")
    if members > MEMBERS_MAX:
        raise UsageError(f"--members {member_count}: at most {MEMBERS_MAX} members are audited at once; write fewer")
    zones: tuple[str, ...] = ()
    if all(adapter.kind is Kind.PLACER for adapter in adapters):
        zones, given = given.names("zones"), replace(given, places={})
    config = given.load()
    if config is not None and config.partition_count > PARTITIONS_MAX:
        raise UsageError(
            f"--config {given.file}: {PARTITION_COUNT.name} is {config.partition_count:,}; at most {PARTITIONS_MAX:,} "
            "partitions are audited at once"
        )
    backups, asynchronous = _backup_counts(chosen_map(config, given.map_name).backups, backup_count, async_backup_count)
    hosts, attributes = given.host_names(config), given.attributes(config)
    _check_async(asynchronous, backups, adapters)
    return Options(
        seed,
        members,
        backups,
        usual.partition_count if config is None else config.partition_count,
        config=config,
        hosts=hosts,
        attributes=attributes,
        async_backup_count=asynchronous,
        system_version=system_version,
        node_count=nodes,
        zones=zones,
        named=named,
    )


def typed_options(arguments: argparse.Namespace, adapters: Iterable[Adapter], given: Given, **instead: Any) -> Options:
    """Return the options that a command's arguments give; the values in `instead` replace those of the arguments."""
    counts = {"member_count": arguments.members, "backup_count": arguments.backups, "seed": arguments.seed}
    return make_options(adapters, given=given, **{**counts, "async_backup_count": arguments.async_backups, **instead})


def _backup_counts(asked: BackupCounts, total: int | None, asynchronous: int | None) -> tuple[int, int]:
    """Return the number of backups, and how many of them are async: as typed, or else as the map is configured."""
    if total is None:
        total = asked.total
    if not 0 <= total <= MAX_BACKUP_COUNT:
        raise UsageError(f"--backups {total}: a partition has 0 to {MAX_BACKUP_COUNT} backups; write one of these")
    if asynchronous is None:
        asynchronous = asked.asynchronous if total == asked.total else 0
    if not 0 <= asynchronous <= total:
        raise UsageError(f"--async-backups {asynchronous}: write a number from 0 to {total}, the number of all backups")
    return total, asynchronous


def _check_async(asynchronous: int, backups: int, adapters: Sequence[Adapter]) -> None:
    for adapter in adapters:
        follows = adapter.async_backups
        if asynchronous and follows is AsyncBackups.NONE:
            raise UsageError(f"--async-backups {asynchronous}: {adapter.name} has no async backups; write 0")
        if follows is AsyncBackups.ALL and asynchronous not in (0, backups):
            cure = f"write --async-backups 0 or {backups}"
            raise UsageError(f"--async-backups {asynchronous}: with {adapter.name} callers wait for {follows}; {cure}")


def check_version(version: str, adapters: Sequence[Adapter], option: str = "--system-version") -> None:
    """Raise UsageError if a system does not have this release; an empty text stands for the usual release."""
    for adapter in adapters if version else ():
        is_tried = adapter.any_version and _RELEASE.fullmatch(version)
        if version not in adapter.versions and not is_tried:
            known = ", ".join(adapter.versions)
            others = ", or any other release of its repository" if adapter.any_version else ""
            installed = f"{adapter.name} is audited in the release that is installed; leave {option} out"
            cure = f"{adapter.name} has no such release; choose {known}{others}" if known else installed
            raise UsageError(f"{option} {version} cannot be audited: {cure}")
