"""Which structures need how many members."""

from collections.abc import Mapping

from gridproof_implementation.config import document
from gridproof_implementation.config.notes import Notes
from gridproof_model.grid_config import ProtectOn, SplitBrainProtection

PROTECTION, OLD_PROTECTION = "split-brain-protection", "quorum"
"""The section, and its name in 3.x."""
PROTECTION_REFS = ("split-brain-protection-ref", "quorum-ref")
ENABLED = "enabled"
MINIMUM, OLD_MINIMUM = "minimum-cluster-size", "quorum-size"
PROTECT_ON, OLD_PROTECT_ON = "protect-on", "quorum-type"


def read_protections(root: document.Section, notes: Notes) -> Mapping[str, SplitBrainProtection | None]:
    """Return the rules by name, None for one that is not enabled; SettingError where one cannot be."""
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
    """Return the rule a structure refers to, None for none; a rule that nobody wrote is noted, and is none."""
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
