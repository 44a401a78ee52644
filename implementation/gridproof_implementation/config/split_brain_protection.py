"""Which structures need how many members."""

from collections.abc import Mapping

from gridproof_implementation.config.document import (
    Section,
    SettingError,
    did_you_mean,
    each_once,
    number_of,
    section_of,
    switch_of,
    text_of,
)
from gridproof_model.grid_config import ProtectOn, SplitBrainProtection

PROTECTION, PROTECTION_REF = "split-brain-protection", "split-brain-protection-ref"
ENABLED, MINIMUM, PROTECT_ON = "enabled", "minimum-cluster-size", "protect-on"


def read_protections(root: Section) -> Mapping[str, SplitBrainProtection | None]:
    """Return the rules by name, None for one that is not enabled; SettingError where one cannot be."""
    sections = [section_of(setting, PROTECTION) for setting in root.get_all(PROTECTION)]
    entries = tuple(entry for section in sections for entry in section.entries)
    found: dict[str, SplitBrainProtection | None] = {}
    for key, value in each_once(Section(entries, root.line), PROTECTION):
        where = f'{PROTECTION} "{key.text}"'
        found[key.text] = _read_one(key.text, section_of(value, where), where)
    return found


def find_protection(
    settings: Section, where: str, rules: Mapping[str, SplitBrainProtection | None]
) -> SplitBrainProtection | None:
    """Return the rule a structure refers to, None for none; SettingError where there is no such rule."""
    setting = settings.get(PROTECTION_REF)
    name = "" if setting is None else text_of(setting, f"{PROTECTION_REF} of {where}")
    if setting is None or name == "":
        return None
    if name not in rules:
        cure = did_you_mean(name, rules) or f"; add it under {PROTECTION}"
        raise SettingError(setting.line, f'{PROTECTION_REF} of {where} is "{name}", which is not configured{cure}')
    return rules[name]


def _read_one(name: str, settings: Section, where: str) -> SplitBrainProtection | None:
    settings.check_names((ENABLED, MINIMUM, PROTECT_ON), where, closed=False)
    enabled = settings.get(ENABLED)
    if enabled is None or not switch_of(enabled, f"{ENABLED} of {where}"):
        return None
    return SplitBrainProtection(name, _read_minimum(settings, where), _read_protect_on(settings, where))


def _read_minimum(settings: Section, where: str) -> int:
    setting = settings.get(MINIMUM)
    if setting is None:
        return SplitBrainProtection(where).minimum_members
    minimum = number_of(setting, f"{MINIMUM} of {where}", "from 2 upward")
    if minimum < 2:
        raise SettingError(setting.line, f"{MINIMUM} of {where} is {minimum}; it must be at least 2")
    return minimum


def _read_protect_on(settings: Section, where: str) -> ProtectOn:
    setting = settings.get(PROTECT_ON)
    if setting is None:
        return ProtectOn.READ_WRITE
    text = text_of(setting, f"{PROTECT_ON} of {where}")
    if text not in tuple(ProtectOn):
        choice = ", ".join(ProtectOn)
        raise SettingError(setting.line, f'{PROTECT_ON} of {where} is "{text}"; it must be one of {choice}')
    return ProtectOn(text)
