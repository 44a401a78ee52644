"""From a file to the configuration of a member.

Read are partition groups, properties, backup counts, merge policies, split-brain protection, the cluster's name, the
member's attributes and whether it is lite. Other sections are passed over; a misspelt name of one that is read is not.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from gridproof_implementation.config.document import (
    ConfigError,
    Scalar,
    Section,
    SettingError,
    did_you_mean,
    section_of,
    text_of,
)
from gridproof_implementation.config.hazelcast_xml import read_xml
from gridproof_implementation.config.hazelcast_yaml import read_yaml
from gridproof_implementation.config.partition_group import read_partition_group
from gridproof_implementation.config.sections import (
    Notes,
    read_attributes,
    read_lite,
    read_properties,
    read_structures,
)
from gridproof_implementation.config.split_brain_protection import PROTECTION, read_protections
from gridproof_model.grid_config import DEFAULT_CLUSTER_NAME, NOT_GROUPED, GridConfig, StructureKind
from gridproof_model.groups import GroupStrategy

ROOT = "hazelcast"
READ = ("cluster-name", "partition-group", "properties", "lite-member", "member-attributes", PROTECTION, *StructureKind)
"""The names under the root whose settings are read."""
PASSED_OVER = ("network", "import", "instance-name")
"""Names that are known and are not misspelt ones of those."""
READERS: Mapping[str, Callable[[bytes], Section]] = {".yaml": read_yaml, ".yml": read_yaml, ".xml": read_xml}
FILE_BYTES_MAX = 16 * 1024 * 1024
"""No configuration is larger; another file given by mistake must not fill the memory."""


def load_config(path: str | Path, strategy: GroupStrategy | None = None) -> GridConfig:
    """Return what a Hazelcast YAML or XML file says; ConfigError names the file and the line.

    The whole file or a single section of it will do. `strategy` groups members where the file asks for type SPI;
    without it, the callable that the file names is imported.
    """
    place = Path(path)
    reader = READERS.get(place.suffix.lower())
    if reader is None:
        raise ConfigError(f"{place}: not a Hazelcast configuration by its name; it ends in {', '.join(READERS)}")
    try:
        with place.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise ConfigError(f"{place}: cannot be read: {error.strerror}") from None
    if len(data) > FILE_BYTES_MAX:
        raise ConfigError(f"{place}: larger than {FILE_BYTES_MAX:,} bytes; this is not a configuration")
    notes = Notes()
    try:
        config = interpret(_find_root(reader(data)), strategy, notes)
    except SettingError as error:
        raise ConfigError(f"{place}:{error.line}: {error}") from None
    return replace(config, notes=tuple(f"{place}:{line}: {sentence}" for line, sentence in sorted(notes.found)))


def interpret(root: Section, strategy: GroupStrategy | None, notes: Notes) -> GridConfig:
    """Return what the settings under the root say; SettingError where they say nothing possible."""
    root.check_names((*READ, *PASSED_OVER), ROOT, closed=False)
    for setting in root.get_all("import"):
        notes.add(setting.line, "an import is not followed; what it says is not read")
    nothing = Scalar("", root.line)
    properties = read_properties(root.get("properties") or nothing, notes)
    grouping = root.get("partition-group")
    return GridConfig(
        cluster_name=text_of(root.get("cluster-name") or nothing, "cluster-name") or DEFAULT_CLUSTER_NAME,
        partition_groups=NOT_GROUPED
        if grouping is None
        else read_partition_group(grouping, root, properties, strategy, notes),
        structures=read_structures(root, read_protections(root), notes),
        lite=read_lite(root.get("lite-member") or nothing),
        attributes=read_attributes(root.get("member-attributes") or nothing),
        properties=properties,
    )


def _find_root(document: Section) -> Section:
    """Return the settings of the member: those under `hazelcast`, or the document where it is sections alone."""
    root = document.get(ROOT)
    if root is not None:
        return section_of(root, ROOT)
    names = [key.text for key, _ in document.entries]
    if any(name in READ for name in names):
        return document
    first = document.entries[0][0] if document.entries else Scalar("", document.line)
    cure = did_you_mean(first.text, (ROOT, *READ)) or f"; it begins with {ROOT}"
    raise SettingError(first.line, f'"{first.text}" is no configuration of a Hazelcast member{cure}')
