"""Reads each section of a configuration.

One function for each section turns settings into values of the model. A mistake raises SettingError with its line; a
setting without effect gets a note.

The section `split-brain-protection` says how many members a structure needs.

The section `partition-group` (seed: Partition Group Configuration) may name a strategy: a callable in a module, or an
entry point, in place of a class with Hazelcast's Java interface (seed: Partition Group Configuration, SPI). A named
module is imported, which runs its code; name only modules that you would run.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from gridproof_implementation.config import document
from gridproof_implementation.config.document import (
    Notes,
    Scalar,
    Section,
    Setting,
    SettingError,
    did_you_mean,
    each_once,
    is_unfilled,
    items_of,
    number_of,
    section_of,
    switch_of,
    text_of,
)
from gridproof_implementation.config.refused import STATISTICS, note_settings, refuse_policy, refuse_settings
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_model.grid_config import (
    DEFAULT_MERGE_POLICY,
    BackupCounts,
    GridConfigError,
    ProtectOn,
    SplitBrainProtection,
    StructureConfig,
    StructureKind,
    describe_structure,
)
from gridproof_model.grid_properties import GRID_PROPERTIES, GROUP_STRATEGY, PropertyError, PropertySet, note_unknown
from gridproof_model.groups import GroupStrategy, GroupType, PartitionGroupConfig
from gridproof_model.interfaces import why_never_matching

ENTRY_POINT_GROUP = "gridproof.partition_group_strategies"
HOW_TO_NAME = f'name a Python callable in the property {GROUP_STRATEGY.name}, as in "my_package.racks:by_row"'
"""The advice for a file that names a Java class, or that names no strategy."""


class StrategyError(ValueError):
    """A strategy that cannot be loaded; the message is one line that says what to do."""


def load_strategy(name: str) -> GroupStrategy:
    """Return the strategy that `module:callable` names, or the installed entry point with this name."""
    module, colon, path = name.partition(":")
    found = _from_module(module.strip(), path.strip()) if colon else _from_entry_point(name)
    if not callable(found):
        raise StrategyError(
            f'"{name}" is of type {type(found).__name__}; name a function that takes members and returns their groups'
        )
    return cast(GroupStrategy, found)


def _from_module(module: str, path: str) -> object:
    if not module or not path or module.startswith("."):
        raise StrategyError(f'"{module}:{path}" names no function; write MODULE:FUNCTION')
    try:
        found: object = import_module(module)
    except Exception as error:
        raise StrategyError(f"cannot import {module}: {_say(error)}; name another module") from error
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
        raise StrategyError(f"cannot load the entry point {name}: {_say(error)}; mend its package") from error


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


WHERE = "partition-group"


def read_partition_group(
    setting: Setting, root: Section, properties: PropertySet, strategy: GroupStrategy | None, notes: Notes
) -> PartitionGroupConfig:
    """Return the partition groups that the section configures; `strategy` takes precedence over the file's strategy.

    Choice (placement.4): groups that can never have a member (they have no interface, or one that no host matches) are
    refused, because they are always a mistake; Hazelcast accepts them and leaves members without partitions.
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
    """Return whether groups are enabled; they are not by default."""
    setting = section.get("enabled")
    return setting is not None and switch_of(setting, f"enabled of {WHERE}")


def _read_type(section: Section) -> tuple[GroupType, int]:
    """Return the type of the groups, which may be in upper or lower case, and its line."""
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
    """Return the strategy that the file names in a property, or else as the class of its first discovery strategy."""
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


PROTECTION, OLD_PROTECTION = "split-brain-protection", "quorum"
"""The section's name, and its name in 3.x."""
PROTECTION_REFS = ("split-brain-protection-ref", "quorum-ref")
ENABLED = "enabled"
MINIMUM, OLD_MINIMUM = "minimum-cluster-size", "quorum-size"
PROTECT_ON, OLD_PROTECT_ON = "protect-on", "quorum-type"


def read_protections(root: document.Section, notes: Notes) -> Mapping[str, SplitBrainProtection | None]:
    """Return the rules by name, with None for a rule that is not enabled; SettingError if a rule is impossible."""
    found: dict[str, SplitBrainProtection | None] = {}
    for kind in (PROTECTION, OLD_PROTECTION):
        entries = tuple(entry for setting in root.get_all(kind) for entry in document.section_of(setting, kind).entries)
        for key, value in document.each_once(document.Section(entries, root.line), kind):
            where = f'{kind} "{key.text}"'
            found[key.text] = _read_one(key.text, document.section_of(value, where), where)
            if kind == OLD_PROTECTION:
                notes.add(key.line, f"{where} of 3.x is read as {PROTECTION}")
    return found


def find_protection(
    settings: document.Section, where: str, rules: Mapping[str, SplitBrainProtection | None], notes: Notes
) -> SplitBrainProtection | None:
    """Return the rule that a structure refers to, or None; there is a note if the file does not have the rule."""
    for ref in PROTECTION_REFS:
        setting = settings.get(ref)
        name = "" if setting is None else document.text_of(setting, f"{ref} of {where}")
        if setting is None or name == "":
            continue
        if name in rules:
            return rules[name]
        cure = document.did_you_mean(name, rules) or f"; add it under {PROTECTION}"
        notes.add(setting.line, f'{ref} of {where} is "{name}", which is not configured, so nothing is refused{cure}')
    return None


def _read_one(name: str, settings: document.Section, where: str) -> SplitBrainProtection | None:
    settings.check_names((ENABLED, MINIMUM, OLD_MINIMUM, PROTECT_ON, OLD_PROTECT_ON), where, closed=False)
    enabled = settings.get(ENABLED)
    if enabled is None or not document.switch_of(enabled, f"{ENABLED} of {where}"):
        return None
    return SplitBrainProtection(name, _read_minimum(settings, where), _read_protect_on(settings, where))


def _read_minimum(settings: document.Section, where: str) -> int:
    setting = settings.get(MINIMUM) or settings.get(OLD_MINIMUM)
    if setting is None:
        return SplitBrainProtection(where).minimum_members
    minimum = document.number_of(setting, f"{MINIMUM} of {where}", "from 2 upward")
    if minimum < 2:
        raise document.SettingError(setting.line, f"{MINIMUM} of {where} is {minimum}; it must be at least 2")
    return minimum


def _read_protect_on(settings: document.Section, where: str) -> ProtectOn:
    setting = settings.get(PROTECT_ON) or settings.get(OLD_PROTECT_ON)
    if setting is None:
        return ProtectOn.READ_WRITE
    text = document.text_of(setting, f"{PROTECT_ON} of {where}")
    if text not in tuple(ProtectOn):
        choice = ", ".join(ProtectOn)
        raise document.SettingError(setting.line, f'{PROTECT_ON} of {where} is "{text}"; it must be one of {choice}')
    return ProtectOn(text)


BACKUP_COUNT, ASYNC_BACKUP_COUNT, MERGE_POLICY = "backup-count", "async-backup-count", "merge-policy"
STRUCTURE_SETTINGS = (BACKUP_COUNT, ASYNC_BACKUP_COUNT, MERGE_POLICY, STATISTICS, *PROTECTION_REFS)
"""The settings that the loader reads in the section of a structure."""


def read_properties(setting: Setting, notes: Notes) -> PropertySet:
    """Return the `properties` section; an unknown property is kept and noted."""
    texts: dict[str, str] = {}
    for key, value in each_once(section_of(setting, "properties"), "property"):
        known = GRID_PROPERTIES.get(key.text)
        if known is None:
            texts[key.text] = value.text if isinstance(value, Scalar) else text_of(value, f"property {key.text}")
            notes.add(key.line, note_unknown(key.text))
            continue
        texts[key.text] = text_of(value, f"property {key.text}")
        try:
            known.read(texts[key.text])
        except PropertyError as error:
            raise SettingError(value.line, str(error)) from None
        notes.take(key.line, f"{key.text} = {texts[key.text]}")
    return PropertySet.of(texts)


def read_structures(
    root: Section, protections: Mapping[str, SplitBrainProtection | None], notes: Notes
) -> tuple[StructureConfig, ...]:
    """Return the configuration of every data structure, sorted by kind and name."""
    found = [config for kind in StructureKind for config in _read_kind(kind, root, protections, notes)]
    return tuple(sorted(found, key=lambda config: (config.kind, config.name)))


def _read_kind(
    kind: StructureKind, root: Section, protections: Mapping[str, SplitBrainProtection | None], notes: Notes
) -> Iterator[StructureConfig]:
    sections = [section_of(setting, kind) for setting in root.get_all(kind)]
    entries = tuple(entry for section in sections for entry in section.entries)
    for key, value in each_once(Section(entries, root.line), kind):
        if isinstance(value, Scalar) and value.text != "":
            raise SettingError(key.line, f"a {kind} has the setting {key.text} but no name; name it, such as default")
        where = f'{kind} "{key.text}"'
        settings = section_of(value, where)
        settings.check_names(STRUCTURE_SETTINGS, where, closed=False)
        refuse_settings(kind, settings, where)
        policy = _read_merge_policy(kind, settings, where, notes)
        protection = find_protection(settings, where, protections, notes)
        config = StructureConfig(kind, key.text, _read_backups(settings, where), policy, protection)
        notes.take(key.line, describe_structure(config))
        note_settings(settings, where, STRUCTURE_SETTINGS, notes)
        yield config


def _read_backups(settings: Section, where: str) -> BackupCounts:
    counts, default = [], BackupCounts()
    line = settings.line
    for name, otherwise in ((BACKUP_COUNT, default.sync), (ASYNC_BACKUP_COUNT, default.asynchronous)):
        setting = settings.get(name)
        counts.append(otherwise if setting is None else number_of(setting, f"{name} of {where}", "from 0 to 6"))
        line = line if setting is None else setting.line
    try:
        return BackupCounts(*counts)
    except GridConfigError as error:
        raise SettingError(line, f"{where}: {error}") from None


def _read_merge_policy(kind: StructureKind, settings: Section, where: str, notes: Notes) -> str:
    """Return the class of the policy without its package; make a note if gridproof cannot follow the policy."""
    setting = written = settings.get(MERGE_POLICY)
    if isinstance(setting, Section):
        setting = setting.get("class-name") or setting.get("value")
    if setting is None:
        return DEFAULT_MERGE_POLICY
    full = text_of(setting, f"{MERGE_POLICY} of {where}")
    refuse_policy(full, kind, settings, written or setting, where)
    name = full.rpartition(".")[2] or DEFAULT_MERGE_POLICY
    if name not in POLICIES_BY_NAME:
        cure = did_you_mean(name, POLICIES_BY_NAME)
        notes.add(setting.line, f"{MERGE_POLICY} {name} of {where} is kept; {DEFAULT_MERGE_POLICY} is used{cure}")
    return name


def read_lite(setting: Setting, notes: Notes) -> bool:
    """Return whether the `lite-member` section makes the member a lite member."""
    section = section_of(setting, "lite-member")
    section.check_names(["enabled"], "lite-member", closed=True)
    enabled = section.get("enabled")
    is_lite = enabled is not None and switch_of(enabled, "enabled of lite-member")
    if enabled is not None and is_lite:
        notes.add(enabled.line, "lite-member changes nothing here: who is a lite member is the run's own choice")
    return is_lite


def read_attributes(setting: Setting, notes: Notes) -> tuple[tuple[str, str], ...]:
    """Return the `member-attributes` section as texts, sorted by name."""
    found: list[tuple[str, str]] = []
    section = section_of(setting, "member-attributes")
    unfilled = {
        key.text: text
        for key, value in section.entries
        for text in (value.get_all("value") if isinstance(value, Section) else (value,))
        if isinstance(text, Scalar) and is_unfilled(text)
    }
    for name, text in unfilled.items():
        notes.add(text.line, f"{unfilled_attribute(name)}, {text.text}")
    for key, value in each_once(section, "member attribute"):
        what = f'member attribute "{key.text}"'
        if key.text in unfilled:
            continue
        given: Setting | None = value
        if isinstance(value, Section):
            value.check_names(("type", "value"), what, closed=True)
            given = value.get("value")
        if given is None:
            raise SettingError(key.line, f"{what} has no value")
        found.append((key.text, text_of(given, what)))
        notes.take(key.line, f"{what} = {found[-1][1]}")
    return tuple(sorted(found))


def unfilled_attribute(name: str) -> str:
    """Return the note about a member attribute whose value is a variable that has no value."""
    return f'member attribute "{name}" is a variable without a value'


def first_discovery_strategy(network: Setting) -> Scalar | None:
    """Return the class of the first enabled discovery strategy: the one whose groups count (placement.3)."""
    setting: Setting | None = network
    for name in ("join", "discovery-strategies", "discovery-strategies"):
        if not isinstance(setting, Section):
            return None
        setting = setting.get(name)
    strategies: Sequence[Setting] = () if setting is None else items_of(setting, "discovery-strategies").values
    for strategy in strategies:
        if isinstance(strategy, Section) and isinstance(name_of_class := strategy.get("class"), Scalar):
            enabled = strategy.get("enabled")
            if enabled is None or switch_of(enabled, "enabled of discovery-strategy"):
                return name_of_class
    return None
