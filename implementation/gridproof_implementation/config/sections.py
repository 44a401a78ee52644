"""What each section of a configuration says.

One function a section, from settings to values of the model. A mistake is a SettingError with its line; what has no
effect is a note.
"""

from collections.abc import Iterator, Mapping, Sequence

from gridproof_implementation.config.document import (
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
from gridproof_implementation.config.notes import Notes
from gridproof_implementation.config.passed_over import note_settings
from gridproof_implementation.config.refused import STATISTICS, refuse_policy, refuse_settings
from gridproof_implementation.config.split_brain_protection import PROTECTION_REFS, find_protection
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_model.grid_config import (
    DEFAULT_MERGE_POLICY,
    BackupCounts,
    GridConfigError,
    SplitBrainProtection,
    StructureConfig,
    StructureKind,
    describe_structure,
)
from gridproof_model.grid_properties import GRID_PROPERTIES, PropertyError, PropertySet, note_unknown

BACKUP_COUNT, ASYNC_BACKUP_COUNT, MERGE_POLICY = "backup-count", "async-backup-count", "merge-policy"
STRUCTURE_SETTINGS = (BACKUP_COUNT, ASYNC_BACKUP_COUNT, MERGE_POLICY, STATISTICS, *PROTECTION_REFS)
"""What is read of a structure."""


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
    """Return what every data structure says, sorted by kind and name."""
    found = [config for kind in StructureKind for config in _read_kind(kind, root, protections, notes)]
    return tuple(sorted(found, key=lambda config: (config.kind, config.name)))


def _read_kind(
    kind: StructureKind, root: Section, protections: Mapping[str, SplitBrainProtection | None], notes: Notes
) -> Iterator[StructureConfig]:
    sections = [section_of(setting, kind) for setting in root.get_all(kind)]
    entries = tuple(entry for section in sections for entry in section.entries)
    for key, value in each_once(Section(entries, root.line), kind):
        if isinstance(value, Scalar) and value.text != "":
            raise SettingError(key.line, f"{kind} has the setting {key.text} but no name; name the {kind}, or default")
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
    """Return the class of the policy without its package; a note where it is none that can be followed."""
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
        notes.add(setting.line, f"{MERGE_POLICY} {name} of {where} is kept; {DEFAULT_MERGE_POLICY} is followed{cure}")
    return name


def read_lite(setting: Setting, notes: Notes) -> bool:
    """Return whether the `lite-member` section makes the member a lite one."""
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
    """Return the note about a member attribute whose value is a variable that nobody filled."""
    return f'member attribute "{name}" is a variable without a value'


def first_discovery_strategy(network: Setting) -> Scalar | None:
    """Return the class of the first discovery strategy: the one whose groups count (placement.3)."""
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
