"""The `partition-group` section of a configuration (seed: Partition Group Configuration).

Strategies are found by name. A name is a callable in a module, or an entry point: what stands in for Hazelcast's Java
interface (seed: Partition Group Configuration, SPI). A named module is imported and so runs; name only what you would
run.
"""

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from gridproof_implementation.config.document import (
    Scalar,
    Section,
    Setting,
    SettingError,
    did_you_mean,
    items_of,
    section_of,
    switch_of,
    text_of,
)
from gridproof_implementation.config.notes import Notes
from gridproof_implementation.config.sections import first_discovery_strategy
from gridproof_model.grid_properties import GROUP_STRATEGY, PropertySet
from gridproof_model.groups import GroupStrategy, GroupType, PartitionGroupConfig
from gridproof_model.interfaces import why_never_matching

ENTRY_POINT_GROUP = "gridproof.partition_group_strategies"
HOW_TO_NAME = f'name a Python callable in the property {GROUP_STRATEGY.name}, as in "my_package.racks:by_row"'
"""The cure, for a file that names a Java class or nothing."""


class StrategyError(ValueError):
    """A strategy that cannot be loaded; the message is one line with the cure."""


def load_strategy(name: str) -> GroupStrategy:
    """Return the strategy `module:callable` means, or the installed entry point of this name."""
    module, colon, path = name.partition(":")
    found = _from_module(module.strip(), path.strip()) if colon else _from_entry_point(name)
    if not callable(found):
        raise StrategyError(f'"{name}" is {type(found).__name__}, not a callable from members to groups of members')
    return cast(GroupStrategy, found)


def _from_module(module: str, path: str) -> object:
    if not module or not path or module.startswith("."):
        raise StrategyError(f'"{module}:{path}" names no callable; write module:callable')
    try:
        found: object = import_module(module)
    except Exception as error:
        raise StrategyError(f"cannot import {module}: {_say(error)}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise StrategyError(f"{module} has no {path}{did_you_mean(name, dir(found))}")
        found = getattr(found, name)
    return found


def _from_entry_point(name: str) -> object:
    installed = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in installed:
        cure = did_you_mean(name, installed) or f"; install the package that has it, or {HOW_TO_NAME}"
        raise StrategyError(f'no entry point of {ENTRY_POINT_GROUP} is called "{name}"{cure}')
    try:
        return installed[name].load()
    except Exception as error:
        raise StrategyError(f"cannot load the entry point {name}: {_say(error)}") from error


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


WHERE = "partition-group"


def read_partition_group(
    setting: Setting, root: Section, properties: PropertySet, strategy: GroupStrategy | None, notes: Notes
) -> PartitionGroupConfig:
    """Return the section; `strategy` is the caller's own for SPI, else the file names one.

    Choice (placement.4): groups that can never hold a member (no interface, or one that no host matches) are refused,
    because they are always a mistake; Hazelcast takes them and leaves members without partitions.
    """
    section = section_of(setting, WHERE)
    section.check_names(("enabled", "group-type", "member-group"), WHERE, closed=True)
    enabled = _read_enabled(section)
    group_type, line = _read_type(section)
    groups = _read_groups(section.get("member-group"))
    if group_type is not GroupType.PER_MEMBER and not enabled:
        notes.add(line, f"{WHERE} is not enabled: every member is a group of its own")
    elif group_type is not GroupType.CUSTOM and groups:
        notes.add(line, f"interfaces group members only where group-type is CUSTOM; here it is {group_type}")
    elif group_type is GroupType.CUSTOM and not groups:
        raise SettingError(line, "group-type CUSTOM has no member-group, so no member would own a partition; add one")
    if enabled:
        how_many = f" with {len(groups)} groups" if group_type is GroupType.CUSTOM else ""
        notes.take(line, f"partition groups {group_type}{how_many}")
    wanted = enabled and group_type is GroupType.SPI
    spi = (strategy or _find_strategy(root, properties, line)) if wanted else None
    return PartitionGroupConfig(group_type, groups, spi, enabled)


def _read_enabled(section: Section) -> bool:
    """Return whether groups are enabled: only where it is said."""
    setting = section.get("enabled")
    return setting is not None and switch_of(setting, f"enabled of {WHERE}")


def _read_type(section: Section) -> tuple[GroupType, int]:
    """Return the type, in whatever case it was written, and the line it stands in."""
    setting = section.get("group-type")
    if setting is None:
        return GroupType.PER_MEMBER, section.line
    text = text_of(setting, "group-type")
    if text.upper() not in list(GroupType):
        cure = did_you_mean(text.upper(), list(GroupType)) or f"; it is one of {', '.join(GroupType)}"
        raise SettingError(setting.line, f'group-type "{text}" is unknown{cure}')
    return GroupType(text.upper()), setting.line


def _read_groups(setting: Setting | None) -> tuple[tuple[str, ...], ...]:
    if setting is None:
        return ()
    groups = items_of(setting, "member-group").values
    return tuple(_read_group(group, number) for number, group in enumerate(groups, 1))


def _read_group(setting: Setting, number: int) -> tuple[str, ...]:
    if isinstance(setting, Scalar) and setting.text != "":
        raise SettingError(setting.line, f'member-group {number} is "{setting.text}"; it must be a list of interfaces')
    interfaces = items_of(setting, f"member-group {number}").values
    if not interfaces:
        raise SettingError(setting.line, f"member-group {number} has no interface; add one or remove the group")
    return tuple(_read_interface(interface) for interface in interfaces)


def _read_interface(setting: Setting) -> str:
    text = text_of(setting, "an interface")
    reason = why_never_matching(text)
    if reason is not None:
        raise SettingError(setting.line, f'interface "{text}" {reason}')
    return text


def _find_strategy(root: Section, properties: PropertySet, line: int) -> GroupStrategy:
    """Return the strategy the file names: by property, else by the class of its first discovery strategy."""
    named = properties.get(GROUP_STRATEGY)
    network = root.get("network")
    java = None if network is None else first_discovery_strategy(network)
    if not named and java is None:
        raise SettingError(line, f"group-type SPI has no strategy; {HOW_TO_NAME}")
    try:
        return load_strategy(named or (java.text if java is not None else ""))
    except StrategyError as error:
        place = line if named or java is None else java.line
        raise SettingError(place, f"group-type SPI: {error}") from None
