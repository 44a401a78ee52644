"""Loads the configuration of a member from a file.

The loader reads partition groups, properties, backup counts, merge policies, split-brain protection, the cluster's
name, the member's attributes and whether the member is lite. The loader skips other sections, with a note for each, but
refuses a section whose name looks like a misspelt name of a section that it reads.

A configuration and the files it imports become one document. An import is followed if it names a file relative to the
importing file; for every other import a note is made. Line numbers continue from file to file, so that each number
means one line of one file.

Some files contain a configuration, but are not a configuration themselves: values of a Helm chart, Kubernetes'
resources, Spring's beans. Such files are refused, with one line that says where in the file the configuration is.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gridproof_implementation.config.document import (
    ConfigError,
    Fill,
    Items,
    Notes,
    Scalar,
    Section,
    Setting,
    SettingError,
    Variables,
    did_you_mean,
    is_unfilled,
    section_of,
    text_of,
)
from gridproof_implementation.config.hazelcast_files import read_xml, read_yaml
from gridproof_implementation.config.refused import note_sections, refuse_byte_order
from gridproof_implementation.config.sections import (
    OLD_PROTECTION,
    PROTECTION,
    read_attributes,
    read_lite,
    read_partition_group,
    read_properties,
    read_protections,
    read_structures,
)
from gridproof_model.grid_config import DEFAULT_CLUSTER_NAME, NOT_GROUPED, GridConfig, StructureKind
from gridproof_model.groups import GroupStrategy
from gridproof_model.own_modules import TooLargeError, read_bytes

CHART_SETTINGS = frozenset({"javaOpts", "loggingLevel", "configurationFiles", "existingConfigMap", "licenseKey"})
"""Settings that a Helm chart may have in its section `hazelcast`, and that no member has."""
ROOT = "hazelcast"
_OF_CHART = "these are values of a Helm chart; save the configuration under {} as a file"
_CHARTS_DEPTH = 8
"""The deepest level of sections at which a nested configuration is looked for."""
CLIENTS = ("hazelcast-client", "hazelcast-client-failover")
OPERATOR = "hazelcast.com/"


def refuse_foreign(document: Section) -> None:
    """Raise SettingError if a document is no configuration, but of a kind that may contain one."""
    kind, version = (_text(document, name) for name in ("kind", "apiVersion"))
    if kind == "ConfigMap":
        _refuse_config_map(document)
    if kind and version.startswith(OPERATOR):
        raise SettingError(
            document.line,
            f"this is a resource of Hazelcast's operator ({kind}), which makes the configuration of members from it; "
            "give that configuration, from the secret or ConfigMap that the operator wrote",
        )
    if kind and version:
        raise SettingError(document.line, f"a Kubernetes resource ({kind}) is no configuration of a Hazelcast member")
    if nested := find_nested(document):
        raise SettingError(nested[1].line, _OF_CHART.format(", ".join(nested[0])))
    for name, value in document.entries:
        if name.text == "beans":
            _refuse_beans(value)
        if name.text in CLIENTS:
            raise SettingError(name.line, f"{name.text} configures a client; give the configuration of a member")
        if name.text == "hazelcast" and isinstance(value, Section):
            _refuse_chart(value)


def where_nested(document: Section, known: Collection[str]) -> str:
    """Return the end of a sentence about where a member's configuration is nested; empty if there is none."""
    found = find_nested(document, known)
    return (
        "" if found is None else f"; one is in line {found[1].line}, under {', '.join(found[0])}: save that as a file"
    )


def find_nested(document: Section, known: Collection[str] = ()) -> tuple[tuple[str, ...], Section] | None:
    """Return a member's configuration nested in a document, with the path of names to it.

    A nested configuration is in a section `yaml`, as in the values file of a Helm chart, or in a section that has the
    name of its root and contains a known section. Eight levels of sections are searched, and each section once.
    """
    met: set[int] = set()
    waiting: list[tuple[tuple[str, ...], Section]] = [((), document)]
    while waiting:
        path, section = waiting.pop(0)
        is_chart = path[-1:] == ("yaml",) and _holds(section, (ROOT,))
        if is_chart or (len(path) > 1 and path[-1] == ROOT and _holds(section, known)):
            return path, section
        for name, value in section.entries:
            if isinstance(value, Section) and id(value) not in met and len(path) < _CHARTS_DEPTH:
                met.add(id(value))
                waiting.append(((*path, name.text), value))
    return None


def _holds(section: Section, names: Collection[str]) -> bool:
    return any(key.text in names for key, _ in section.entries)


def _refuse_config_map(document: Section) -> None:
    data = document.get("data") or Scalar("", document.line)
    for name, value in section_of(data, "data").entries:
        if name.text.endswith((".yaml", ".yml", ".xml")) and isinstance(value, Scalar):
            raise SettingError(
                name.line, f"this is a ConfigMap; save the text of {name.text} under data as a file, and give that file"
            )
    raise SettingError(document.line, "this ConfigMap has no file under data that ends in .yaml or .xml")


def _refuse_chart(settings: Section) -> None:
    """Refuse the values of a Helm chart, recognised by the chart's settings in its section `hazelcast`."""
    inner = settings.get("yaml")
    if isinstance(inner, Section):
        raise SettingError(inner.line, _OF_CHART.format("hazelcast, yaml"))
    found = next((key for key, _ in settings.entries if key.text in CHART_SETTINGS), None)
    if found is not None:
        raise SettingError(
            found.line,
            f"these are values of a Helm chart ({found.text}); give a member's configuration, from hazelcast, yaml",
        )


def _refuse_beans(beans: Setting) -> None:
    """Refuse Spring's beans, in which an element `config` of Hazelcast's namespace contains the configuration."""
    found = _find(beans, "config", 0)
    line = beans.line if found is None else found.line
    cure = "save the content of <hz:config> as <hazelcast>" if found is not None else "no <hz:config> is among them"
    raise SettingError(line, f"these are beans of Spring; {cure}")


def _find(setting: Setting, name: str, depth: int) -> Setting | None:
    if not isinstance(setting, Section) or depth > 3:
        return None
    for key, value in setting.entries:
        inner = value if key.text == name else _find(value, name, depth + 1)
        if inner is not None:
            return inner
    return None


def _text(document: Section, name: str) -> str:
    found = [value for key, value in document.entries if key.text == name]
    return found[0].text if found and isinstance(found[0], Scalar) else ""


IMPORT = "import"
READERS: Mapping[str, Callable[[bytes, Fill, int], Section]] = {".yaml": read_yaml, ".yml": read_yaml, ".xml": read_xml}
FILE_BYTES_MAX = 1024 * 1024
"""The most bytes of a configuration with its imports: a wrong file that was given by mistake must not take minutes."""
FILES_MAX = 32
"""The most files of a configuration, including imported ones; a configuration with more is refused."""
JOINED_DEPTH = 3
"""How many levels of sections are joined if two files have the same section: a structure's kind, name and setting."""


@dataclass(slots=True)
class Files:
    """Reads files, and knows which file each line belongs to."""

    variables: Variables
    notes: Notes
    known_sections: tuple[str, ...]
    """Names of sections that a document without a root may begin with."""
    _starts: list[tuple[int, Path]] = field(default_factory=list)
    """The files read so far, each with the number that its first line has among the lines of all files."""
    _next_line: int = 1
    _bytes_left: int = FILE_BYTES_MAX

    def read(self, path: Path) -> Section:
        """Return the settings under the root of a file, imports included; raises SettingError or ConfigError."""
        return self._read(path, ())

    def place_of(self, line: int) -> str:
        """Return a line's file and its number there, as in `file:12`."""
        first, path = next((start for start in reversed(self._starts) if start[0] <= line), self._starts[0])
        return f"{path}:{line - first + 1}"

    def _read(self, path: Path, importing: tuple[Path, ...]) -> Section:
        reader, data = _reader_of(path), _bytes_of(path, self._bytes_left)
        self._bytes_left -= len(data)
        first = self._next_line
        self._starts.append((first, path))
        self._next_line += data.count(b"\n") + data.count(b"\r") + 2
        document = reader(data, self.variables.fill, first)
        refuse_foreign(document)
        root = self._find_root(document)
        for setting in root.get_all(IMPORT):
            for name in _names_in(setting):
                root = _joined(root, self._import(name, path, (*importing, path.resolve())), JOINED_DEPTH)
        return root

    def _import(self, name: Scalar, path: Path, importing: tuple[Path, ...]) -> Section:
        """Return the settings that an import adds; if it is not followed, there are none, and a note is added."""
        nothing = Section((), name.line)
        if is_unfilled(name):
            return nothing
        if ":" in name.text or Path(name.text).is_absolute():
            why = "only files in the same folder can be imported"
            self.notes.add(name.line, f'import "{name.text}" is left out: {why}')
            return nothing
        wanted = path.parent / name.text
        if wanted.resolve() in importing:
            raise SettingError(name.line, f'import "{name.text}" leads back to a file that imports this one; remove it')
        if len(self._starts) >= FILES_MAX:
            raise SettingError(name.line, f"more than {FILES_MAX} files are imported; put them into fewer files")
        try:
            return self._read(wanted, importing)
        except ConfigError as error:  # it cannot be read at all; mistakes in its text raise SettingError
            self.notes.add(name.line, f'import "{name.text}" is left out: {error}')
            return nothing

    def _find_root(self, document: Section) -> Section:
        """Return the member's settings: those under `hazelcast`, or the whole document if its sections have no root."""
        root = document.get(ROOT)
        if root is not None:
            return section_of(root, ROOT)
        names = [key.text for key, _ in document.entries]
        if any(name in self.known_sections for name in names):
            return document
        first = document.entries[0][0] if document.entries else Scalar("", document.line)
        cure = did_you_mean(first.text, (ROOT, *self.known_sections))
        cure = cure or where_nested(document, self.known_sections) or f"; that begins with {ROOT}"
        raise SettingError(first.line, f'"{first.text}" is no configuration of a Hazelcast member{cure}')


def _reader_of(path: Path) -> Callable[[bytes, Fill, int], Section]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(f"{path}: the file name of a configuration must end in one of {', '.join(READERS)}")
    return reader


def _bytes_of(path: Path, most: int) -> bytes:
    try:
        return read_bytes(path, most)
    except TooLargeError:
        large = f"larger than {FILE_BYTES_MAX:,} bytes"
        raise ConfigError(f"{path}: this file, with any files that import it, is {large}; make it smaller") from None
    except (OSError, ValueError) as error:
        why = str(error.strerror if isinstance(error, OSError) else error)
        raise ConfigError(f"{path}: cannot be read: {why}") from None


def _names_in(setting: Setting) -> list[Scalar]:
    """Return the files that an import names, as a list in YAML or an attribute in XML."""
    match setting:
        case Items():
            return [value for value in setting.values if isinstance(value, Scalar) and value.text]
        case Section():
            return [value for key, value in setting.entries if key.text == "resource" and isinstance(value, Scalar)]
        case Scalar():
            return [setting] if setting.text else []


def _joined(own: Section, imported: Section, depth: int) -> Section:
    """Return the settings of both files; if both have a setting that is no section, the importing file's is used."""
    names = {key.text: (key, value) for key, value in own.entries}
    joined = list(own.entries)
    for key, value in imported.entries:
        if key.text == IMPORT:
            continue
        if key.text not in names:
            joined.append((key, value))
            continue
        mine_key, mine = names[key.text]
        place = next(number for number, entry in enumerate(joined) if entry[0] is mine_key)
        if isinstance(mine, Scalar) and mine.text == "":
            joined[place] = (key, value)
        elif depth and isinstance(mine, Section) and isinstance(value, Section):
            joined[place] = (mine_key, _joined(mine, value, depth - 1))
    return Section(tuple(joined), own.line)


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
"""Names under the root of a member's configuration, from 3.x to 5.x; a file with none of them is no configuration."""
FOLLOWED = ("partition-group", "properties", "lite-member", "member-attributes", PROTECTION, *StructureKind)
"""The names under the root whose settings take effect here, or get one note each."""
READ = ("cluster-name", *FOLLOWED)
"""The names under the root whose settings are read."""
PASSED_OVER = ("network", IMPORT, "instance-name", "group", OLD_PROTECTION)
"""Known names whose settings are not read; they are listed so that none of them is taken for a misspelt name."""


def load_config(
    path: str | Path, strategy: GroupStrategy | None = None, variables: Mapping[str, str] | None = None
) -> GridConfig:
    """Return the configuration in a Hazelcast YAML or XML file; ConfigError names the file and the line.

    The file may be a whole configuration or a single section of one. `strategy` groups members if the file asks for
    type SPI; without `strategy`, the callable that the file names is imported. `variables` has the values of variables
    such as `${name}`.
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
    """Return the configuration that the settings under the root describe; SettingError if no member can have it."""
    root.check_names((*READ, *PASSED_OVER), ROOT, closed=False)
    if root.entries and not any(key.text in KNOWN_SECTIONS for key, _ in root.entries):
        first = root.entries[0][0]
        where = (
            where_nested(Section(((Scalar(ROOT, root.line), root),), root.line), READ) or ", and the file has no other"
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
    """Return the name of the cluster, which 3.x has in a section `group`."""
    named = root.get("cluster-name")
    group = root.get("group")
    if named is None and isinstance(group, Section):
        named = group.get("name")
    return text_of(named or nothing, "cluster-name") or DEFAULT_CLUSTER_NAME
