"""From a file to the configuration of a member.

Read are partition groups, properties, backup counts, merge policies, split-brain protection, the cluster's name, the
member's attributes and whether it is lite. Other sections are passed over, each with a note; a misspelt name of one
that is read is not.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gridproof_implementation.config.document import ConfigError, Scalar, Section, SettingError, text_of
from gridproof_implementation.config.files import IMPORT, Files
from gridproof_implementation.config.foreign import ROOT, where_nested
from gridproof_implementation.config.notes import Notes
from gridproof_implementation.config.partition_group import read_partition_group
from gridproof_implementation.config.passed_over import note_sections
from gridproof_implementation.config.refused import refuse_byte_order
from gridproof_implementation.config.sections import read_attributes, read_lite, read_properties, read_structures
from gridproof_implementation.config.split_brain_protection import OLD_PROTECTION, PROTECTION, read_protections
from gridproof_implementation.config.variables import Variables
from gridproof_model.grid_config import DEFAULT_CLUSTER_NAME, NOT_GROUPED, GridConfig, StructureKind
from gridproof_model.groups import GroupStrategy

KNOWN_SECTIONS = frozenset(
    {
        *("cluster-name", "license-key", "instance-name", "import", "config-replacers", "management-center"),
        *("network", "advanced-network", "partition-group", "properties", "lite-member", "member-attributes"),
        *(
            PROTECTION,
            OLD_PROTECTION,
            "group",
            "security",
            "auditlog",
            "serialization",
            "native-memory",
            "metrics",
            "rest-api",
        ),
        *("executor-service", "durable-executor-service", "scheduled-executor-service", "wan-replication"),
        *("replicatedmap", "topic", "reliable-topic", "reliable-id-generator", "flake-id-generator", "pn-counter"),
        *("persistence", "hot-restart-persistence", "dynamic-configuration", "local-device", "device", "jet", "sql"),
        *("cp-subsystem", "crdt-replication", "user-code-deployment", "user-code-namespaces", "listeners"),
        *("instance-tracking", "integrity-checker", "data-connection", "external-data-store", "tpc", "rest"),
        *("diagnostics", "vector-collection", "job-tracker", "semaphore", "lock", "atomic-long", "atomic-reference"),
        *("count-down-latch", "memcache-protocol", "event-journal", "map-event-journal", "cache-event-journal"),
        *("services", "user-code", "eureka", "id-generator", "opentelemetry", *StructureKind),
    }
)
"""Names under the root of a member, of 3.x to 5.x: where none of them stands, a file is something else."""
FOLLOWED = ("partition-group", "properties", "lite-member", "member-attributes", PROTECTION, *StructureKind)
"""The names under the root whose settings take effect, or are noted one by one."""
READ = ("cluster-name", *FOLLOWED)
"""The names under the root whose settings are read."""
PASSED_OVER = ("network", IMPORT, "instance-name", "group", OLD_PROTECTION)
"""Names that are known and are not misspelt ones of those."""


def load_config(
    path: str | Path, strategy: GroupStrategy | None = None, variables: Mapping[str, str] | None = None
) -> GridConfig:
    """Return what a Hazelcast YAML or XML file says; ConfigError names the file and the line.

    The whole file or a single section of it will do. `strategy` groups members where the file asks for type SPI;
    without it, the callable that the file names is imported. `variables` are the values of `${name}`.
    """
    place, notes = Path(path), Notes()
    files = Files(Variables(variables or {}), notes, READ)
    try:
        config = interpret(files.read(place), strategy, notes)
    except SettingError as error:
        raise ConfigError(f"{files.place_of(error.line)}: {error}") from None
    for line, name in files.variables.unfilled:
        notes.add(line, f"${{{name}}} has no value, so the setting counts as not set; fill it with --set {name}=VALUE")
    for name in files.variables.unused:
        notes.add(1, f"--set {name} fills nothing: there is no ${{{name}}}")
    sentences = tuple(f"{files.place_of(line)}: {sentence}" for line, sentence in sorted(set(notes.found)))
    taken = tuple(f"{files.place_of(line)}: {what}" for line, what in sorted(set(notes.taken)))
    return replace(config, notes=sentences, taken=taken)


def interpret(root: Section, strategy: GroupStrategy | None, notes: Notes) -> GridConfig:
    """Return what the settings under the root say; SettingError where they say nothing possible."""
    root.check_names((*READ, *PASSED_OVER), ROOT, closed=False)
    if root.entries and not any(key.text in KNOWN_SECTIONS for key, _ in root.entries):
        first = root.entries[0][0]
        where = (
            where_nested(Section(((Scalar(ROOT, root.line), root),), root.line), READ) or ", and no other one is here"
        )
        raise SettingError(first.line, f'"{first.text}" is no setting of a Hazelcast member{where}')
    nothing = Scalar("", root.line)
    refuse_byte_order(root.get("serialization") or nothing)
    properties = read_properties(root.get("properties") or nothing, notes)
    grouping = root.get("partition-group")
    config = GridConfig(
        cluster_name=_read_cluster_name(root, nothing),
        partition_groups=NOT_GROUPED
        if grouping is None
        else read_partition_group(grouping, root, properties, strategy, notes),
        structures=read_structures(root, read_protections(root, notes), notes),
        lite=read_lite(root.get("lite-member") or nothing, notes),
        attributes=read_attributes(root.get("member-attributes") or nothing, notes),
        properties=properties,
    )
    note_sections(root, (*FOLLOWED, OLD_PROTECTION, IMPORT), notes)
    return config


def _read_cluster_name(root: Section, nothing: Scalar) -> str:
    """Return the name of the cluster; 3.x had it in a section `group`."""
    named = root.get("cluster-name")
    group = root.get("group")
    if named is None and isinstance(group, Section):
        named = group.get("name")
    return text_of(named or nothing, "cluster-name") or DEFAULT_CLUSTER_NAME
