"""What of a configuration changes nothing here, and why.

Nobody should take a green result for one about a setting that was never looked at: each is noted with its line. A
switch that is off, a number that is 0, and an empty section say nothing and need no note.
"""

from collections.abc import Collection, Mapping

from gridproof_implementation.config.document import Items, Scalar, Section, Setting, is_unfilled
from gridproof_implementation.config.notes import Notes

IN_MEMORY = "members here keep everything in memory, and lose it with their process"
NO_REPLICATED = "a replicated map is no part of the reference; nothing of it is tried"
NO_EXECUTOR = "executors are no part of the reference; their durability is not tried"
SECTIONS: Mapping[str, str] = {
    "persistence": IN_MEMORY,
    "hot-restart-persistence": IN_MEMORY,
    "dynamic-configuration": IN_MEMORY,
    "jet": "stream jobs run with their own defaults; its backup-count is not followed, their maps keep 1 backup",
    "executor-service": NO_EXECUTOR,
    "durable-executor-service": NO_EXECUTOR,
    "scheduled-executor-service": NO_EXECUTOR,
    "replicatedmap": NO_REPLICATED,
    "replicated-map": NO_REPLICATED,
    "cp-subsystem": "CP structures follow another protocol (Raft), which is no part of the reference",
    "wan-replication": "one cluster alone is tried, nothing is sent to another",
    "network": "members here find one another by themselves; hosts are given with --hosts",
    "cluster-name": "every member of a run is in one cluster, whatever its name",
    "group": "every member of a run is in one cluster, whatever its name (3.x)",
}
"""By name under the root."""
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
    "wan-replication-ref": "one cluster alone is tried, nothing is sent to another",
    "partition-strategy": "keys are partitioned by themselves",
    "partition-attributes": "keys are partitioned by themselves",
}
"""By name in a structure."""


def note_sections(root: Section, read: Collection[str], notes: Notes) -> None:
    """Note every section under the root that is not read."""
    for key, value in root.entries:
        if key.text not in read and not _says_nothing(value):
            notes.add(key.line, f"{key.text} changes nothing here: {SECTIONS.get(key.text, 'it is passed over')}")


def note_settings(settings: Section, where: str, read: Collection[str], notes: Notes) -> None:
    """Note every setting of a structure that is not read; those without a reason of their own share a line."""
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
        notes.add(others[0].line, f"{names} of {where} {'is' if len(others) == 1 else 'are'} passed over")


def _says_nothing(setting: Setting) -> bool:
    match setting:
        case Scalar():
            return is_unfilled(setting) or setting.text.lower() in ("", "0", "false", "none")
        case Items():
            return not setting.values
        case Section():
            enabled = setting.get("enabled")
            return not setting.entries or (isinstance(enabled, Scalar) and enabled.text.lower() == "false")
