"""A configuration and the files it imports, as one document.

Imports are followed that name a file relative to the one they stand in; all others are noted. Lines are numbered on
from file to file, so that each has one place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gridproof_implementation.config.document import (
    ConfigError,
    Items,
    Scalar,
    Section,
    Setting,
    SettingError,
    did_you_mean,
    is_unfilled,
    section_of,
)
from gridproof_implementation.config.foreign import ROOT, refuse_foreign, where_nested
from gridproof_implementation.config.hazelcast_xml import read_xml
from gridproof_implementation.config.hazelcast_yaml import read_yaml
from gridproof_implementation.config.notes import Notes
from gridproof_implementation.config.variables import Fill, Variables
from gridproof_model.own_file import TooLargeError, read_bytes

IMPORT = "import"
READERS: Mapping[str, Callable[[bytes, Fill, int], Section]] = {".yaml": read_yaml, ".yml": read_yaml, ".xml": read_xml}
FILE_BYTES_MAX = 1024 * 1024
"""No configuration is larger, with all that it imports; another file given by mistake must not take minutes."""
FILES_MAX = 32
"""A configuration that imports more is refused."""
JOINED_DEPTH = 3
"""Sections within sections that two files share: a kind of structure, its name, its setting."""


@dataclass(slots=True)
class Files:
    """Reads files, and knows which line is whose."""

    variables: Variables
    notes: Notes
    known_sections: tuple[str, ...]
    """Names of which one begins a document without a root."""
    _starts: list[tuple[int, Path]] = field(default_factory=list)
    """The first line of each file."""
    _next_line: int = 1
    _bytes_left: int = FILE_BYTES_MAX

    def read(self, path: Path) -> Section:
        """Return the settings under the root of a file, with those it imports; SettingError, ConfigError."""
        return self._read(path, ())

    def place_of(self, line: int) -> str:
        """Return file and line, as a person writes them."""
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
        """Return the settings that an import adds; none, and a note, where it is not followed."""
        nothing = Section((), name.line)
        if is_unfilled(name):
            return nothing
        if ":" in name.text or Path(name.text).is_absolute():
            self.notes.add(name.line, f'import "{name.text}" is not followed: only a file beside this one is')
            return nothing
        wanted = path.parent / name.text
        if wanted.resolve() in importing:
            raise SettingError(name.line, f'import "{name.text}" leads back to a file that imports this one; remove it')
        if len(self._starts) >= FILES_MAX:
            raise SettingError(name.line, f"more than {FILES_MAX} files are imported; put them into fewer")
        try:
            return self._read(wanted, importing)
        except ConfigError as error:  # it cannot be read at all; what is wrong in it is a SettingError
            self.notes.add(name.line, f'import "{name.text}" is not followed: {error}')
            return nothing

    def _find_root(self, document: Section) -> Section:
        """Return the settings of the member: those under `hazelcast`, or the document where it is sections alone."""
        root = document.get(ROOT)
        if root is not None:
            return section_of(root, ROOT)
        names = [key.text for key, _ in document.entries]
        if any(name in self.known_sections for name in names):
            return document
        first = document.entries[0][0] if document.entries else Scalar("", document.line)
        cure = did_you_mean(first.text, (ROOT, *self.known_sections))
        cure = cure or where_nested(document, self.known_sections) or f"; it begins with {ROOT}"
        raise SettingError(first.line, f'"{first.text}" is no configuration of a Hazelcast member{cure}')


def _reader_of(path: Path) -> Callable[[bytes, Fill, int], Section]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(f"{path}: not a Hazelcast configuration by its name; it ends in {', '.join(READERS)}")
    return reader


def _bytes_of(path: Path, most: int) -> bytes:
    try:
        return read_bytes(path, most)
    except TooLargeError:
        why = f"larger than {FILE_BYTES_MAX:,} bytes, with what imports it; no configuration is"
        raise ConfigError(f"{path}: {why}") from None
    except (OSError, ValueError) as error:
        why = str(error.strerror if isinstance(error, OSError) else error)
        raise ConfigError(f"{path}: cannot be read: {why}") from None


def _names_in(setting: Setting) -> list[Scalar]:
    """Return the files that an import names: a list in YAML, an attribute in XML."""
    match setting:
        case Items():
            return [value for value in setting.values if isinstance(value, Scalar) and value.text]
        case Section():
            return [value for key, value in setting.entries if key.text == "resource" and isinstance(value, Scalar)]
        case Scalar():
            return [setting] if setting.text else []


def _joined(own: Section, imported: Section, depth: int) -> Section:
    """Return the settings of both; where both have one of a name that is no section, the importing file's counts."""
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
