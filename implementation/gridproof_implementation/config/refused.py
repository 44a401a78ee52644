"""Settings that members refuse, and settings that change nothing here.

With a refused setting a member does not load its file, does not start, or fails when the setting is first used, so a
good result of an audit would be about a grid that cannot run. A test compares each rule with how members of 5.3.8 and
5.7.0 reacted to about ninety configurations (`tests/implementation/started_configurations.json`).

For a setting that changes nothing here there is a note with its line and the reason, so that no user thinks that a good
result covers a setting that was never examined. A setting that turns something off, a number that is 0 and an empty
section have no effect in any case, and need no note.
"""

import re
from collections.abc import Collection, Mapping

from gridproof_implementation.config.document import (
    Items,
    Notes,
    Scalar,
    Section,
    Setting,
    SettingError,
    did_you_mean,
    is_unfilled,
    section_of,
    switch_of,
    text_of,
)
from gridproof_model.grid_config import StructureKind
from gridproof_model.serialization import ByteOrder

MAP, MULTIMAP, QUEUE, SET = StructureKind.MAP, StructureKind.MULTIMAP, StructureKind.QUEUE, StructureKind.SET
RINGBUFFER, CACHE, ESTIMATOR = StructureKind.RINGBUFFER, StructureKind.CACHE, StructureKind.CARDINALITY_ESTIMATOR
STATISTICS = "per-entry-stats-enabled"
_LEAST: Mapping[tuple[StructureKind, str], int] = {
    (MAP, "max-idle-seconds"): 0,
    (MAP, "time-to-live-seconds"): 0,
    (QUEUE, "max-size"): 0,
    (SET, "max-size"): 0,
    (RINGBUFFER, "capacity"): 1,
}
_WORDS: Mapping[tuple[StructureKind, str], tuple[str, ...]] = {
    (MAP, "in-memory-format"): ("BINARY", "OBJECT", "NATIVE"),
    (MAP, "cache-deserialized-values"): ("NEVER", "INDEX-ONLY", "ALWAYS"),
    (MAP, "metadata-policy"): ("CREATE_ON_UPDATE", "OFF"),
    (MULTIMAP, "value-collection-type"): ("SET", "LIST"),
    (RINGBUFFER, "in-memory-format"): ("BINARY", "OBJECT"),
}
_SWITCHES = ("statistics-enabled", STATISTICS, "read-backup-data")
_NO_MAP_SIZE = "ENTRY_COUNT"
"""A size policy, by number of entries, that caches have and maps lack."""
_KINDS_OF: Mapping[str, tuple[StructureKind, ...]] = {
    "HyperLogLogMergePolicy": (ESTIMATOR,),
    "ExpirationTimeMergePolicy": (MAP, CACHE),
    **dict.fromkeys(
        ("LatestUpdateMergePolicy", "LatestAccessMergePolicy", "HigherHitsMergePolicy"), (MAP, MULTIMAP, CACHE)
    ),
}
"""Some merge policies compare a value that only some kinds of structures keep with an entry: for each such policy,
these kinds."""
_ANYWHERE = ("PutIfAbsentMergePolicy", "PassThroughMergePolicy", "DiscardMergePolicy")
_OF_STATISTICS = ("LatestUpdateMergePolicy", "LatestAccessMergePolicy", "HigherHitsMergePolicy")


def refuse_settings(kind: StructureKind, settings: Section, where: str) -> None:
    """Raise SettingError if a structure has a setting that members refuse."""
    for name in _SWITCHES:
        if (setting := settings.get(name)) is not None:
            switch_of(setting, f"{name} of {where}")
    for name, setting in ((key.text, settings.get(key.text)) for key, _ in settings.entries):
        if setting is not None and (kind, name) in _LEAST and not isinstance(setting, Section):
            _check_number(setting, f"{name} of {where}", _LEAST[kind, name])
        if setting is not None and (kind, name) in _WORDS:
            _check_word(setting, f"{name} of {where}", _WORDS[kind, name])
    if kind is MAP:
        _refuse_of_map(settings, where)


def _refuse_of_map(settings: Section, where: str) -> None:
    store, eviction = settings.get("map-store"), settings.get("eviction")
    enabled = store.get("enabled") if isinstance(store, Section) else None
    is_on = enabled is not None and switch_of(enabled, f"enabled of map-store of {where}")
    if is_on and isinstance(store, Section) and store.get("class-name") is store.get("factory-class-name") is None:
        raise SettingError(store.line, f"map-store of {where} is enabled without a class-name; add a class-name")
    size = eviction.get("max-size-policy") if isinstance(eviction, Section) else None
    if size is not None and text_of(size, "max-size-policy").upper() == _NO_MAP_SIZE:
        raise SettingError(size.line, f"max-size-policy of {where} is {_NO_MAP_SIZE}, which is for caches only")


def refuse_policy(name: str, kind: StructureKind, settings: Section, policy: Setting, where: str) -> None:
    """Raise SettingError if members do not start with a merge policy; `name` is the name as written in the file.

    A class name with a package may name a class of the user, so an unknown name of this kind is accepted.
    """
    package, _, simple = name.rpartition(".")
    if isinstance(policy, Section) and (size := policy.get("batch-size")) is not None:
        _check_number(size, f"batch-size of the merge-policy of {where}", 1)
    if simple not in _KINDS_OF and simple not in _ANYWHERE:
        if package == "" and name != "":
            known = (*_ANYWHERE, *_KINDS_OF)
            cure = did_you_mean(simple, known) or f"; they have {', '.join(known)}"
            raise SettingError(policy.line, f"merge-policy {name} of {where} is no merge policy of members{cure}")
        return
    if kind not in _KINDS_OF.get(simple, (kind,)):
        kinds = " and ".join(_KINDS_OF[simple])
        raise SettingError(policy.line, f"merge-policy {simple} is only for {kinds}: no member starts {where} with it")
    if kind is MAP and simple in _OF_STATISTICS:
        statistics = settings.get(STATISTICS)
        if statistics is None or not switch_of(statistics, f"{STATISTICS} of {where}"):
            raise SettingError(
                policy.line, f"merge-policy {simple} of {where} needs {STATISTICS}: true; no member starts without it"
            )


def refuse_byte_order(setting: Setting) -> None:
    """Raise SettingError if the section `serialization` makes members write numbers in another order than
    big-endian."""
    section = section_of(setting, "serialization")
    native, order = section.get("use-native-byte-order"), section.get("byte-order")
    if native is not None and switch_of(native, "use-native-byte-order"):
        raise SettingError(native.line, f"use-native-byte-order {_MOVES_KEYS}")
    if order is not None:
        _check_word(order, "byte-order", tuple(ByteOrder))
        if text_of(order, "byte-order") == ByteOrder.LITTLE:
            raise SettingError(order.line, f"byte-order {ByteOrder.LITTLE} {_MOVES_KEYS}")


_MOVES_KEYS = "puts keys on other partitions than big-endian, which runs here use; remove the line to try the rest"


def _check_number(setting: Setting, what: str, least: int) -> None:
    text = text_of(setting, what)
    if not re.fullmatch(r"-?[0-9]{1,18}", text) or int(text) < least:
        raise SettingError(setting.line, f'{what} is "{text}"; it must be a whole number of at least {least}')


def _check_word(setting: Setting, what: str, words: tuple[str, ...]) -> None:
    text = text_of(setting, what)
    if text.upper().replace("_", "-") not in [word.replace("_", "-") for word in words]:
        raise SettingError(setting.line, f'{what} is "{text}"; it must be one of {", ".join(words)}')


IN_MEMORY = "members here keep everything in memory, and lose it with their process"
NO_REPLICATED = "a replicated map is no part of the reference; it is not tried"
NO_EXECUTOR = "executors are no part of the reference; their durability is not tried"
SECTIONS: Mapping[str, str] = {
    "persistence": IN_MEMORY,
    "hot-restart-persistence": IN_MEMORY,
    "dynamic-configuration": IN_MEMORY,
    "jet": "stream jobs run with their own defaults; its backup-count is not used, their maps keep 1 backup",
    "executor-service": NO_EXECUTOR,
    "durable-executor-service": NO_EXECUTOR,
    "scheduled-executor-service": NO_EXECUTOR,
    "replicatedmap": NO_REPLICATED,
    "replicated-map": NO_REPLICATED,
    "cp-subsystem": "CP structures follow another protocol (Raft), which is no part of the reference",
    "wan-replication": "only one cluster is tried, and nothing is sent to another",
    "network": "members here find one another by themselves; hosts are given with --hosts",
    "cluster-name": "every member of a run is in one cluster, whatever its name",
    "group": "every member of a run is in one cluster, whatever its name (3.x)",
}
"""For each section under the root that changes nothing here, by its name, the reason why."""
SETTINGS: Mapping[str, str] = {
    "near-cache": "reads go to the members, never to a near cache",
    "eviction": "entries are never evicted",
    "eviction-policy": "entries are never evicted",
    "max-size": "entries are never evicted",
    "time-to-live-seconds": "entries do not expire",
    "max-idle-seconds": "entries do not expire",
    "expiry-policy-factory": "entries do not expire",
    "map-store": "nothing is loaded or stored; what a crash takes from all copies is lost",
    "queue-store": "nothing is loaded or stored; what a crash takes from all copies is lost",
    "ringbuffer-store": "nothing is loaded or stored; what a crash takes from all copies is lost",
    "read-backup-data": "an audit reads through the owner; `gridproof simulate` has runs that read from backups",
    "data-persistence": IN_MEMORY,
    "hot-restart": IN_MEMORY,
    "wan-replication-ref": "only one cluster is tried, and nothing is sent to another",
    "partition-strategy": "a key's partition comes from the whole key",
    "partition-attributes": "a key's partition comes from the whole key",
}
"""For each setting of a structure that changes nothing here, by its name, the reason why."""


def note_sections(root: Section, read: Collection[str], notes: Notes) -> None:
    """Note every section under the root that is not read."""
    for key, value in root.entries:
        if key.text not in read and not _says_nothing(value):
            notes.add(key.line, f"{key.text} changes nothing here: {SECTIONS.get(key.text, 'it is not read')}")


def note_settings(settings: Section, where: str, read: Collection[str], notes: Notes) -> None:
    """Note every setting of a structure that is not read; all settings without a reason in SETTINGS get one note
    together."""
    others = []
    for key, value in settings.entries:
        if key.text in read or _says_nothing(value):
            continue
        if key.text in SETTINGS:
            notes.add(key.line, f"{key.text} of {where} changes nothing here: {SETTINGS[key.text]}")
        else:
            others.append(key)
    if others:
        names = ", ".join(key.text for key in others)
        notes.add(others[0].line, f"{names} of {where} {'is' if len(others) == 1 else 'are'} not read")


def _says_nothing(setting: Setting) -> bool:
    match setting:
        case Scalar():
            return is_unfilled(setting) or setting.text.lower() in ("", "0", "false", "none")
        case Items():
            return not setting.values
        case Section():
            enabled = setting.get("enabled")
            return not setting.entries or (isinstance(enabled, Scalar) and enabled.text.lower() == "false")
