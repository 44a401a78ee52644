"""Reads Hazelcast's XML and YAML files as settings, with line numbers.

Where the two formats differ, the settings of XML get the shape of YAML: an element with a `name` is a section of that
name, repeated elements that YAML writes as a list become a list, and other repeated elements are merged into one. Text
between elements is ignored, as it is by Hazelcast.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, Locator

import yaml
from defusedxml.common import DefusedXmlException
from defusedxml.sax import parseString

from gridproof_implementation.config.document import (
    DEPTH_MAX,
    Fill,
    Items,
    Scalar,
    Section,
    Setting,
    SettingError,
    as_it_stands,
    check_count,
)

LISTS = {
    "partition-group": ("member-group", "member-group"),
    "discovery-strategies": ("discovery-strategy", "discovery-strategies"),
}
"""For each parent element in XML, the child that may be repeated, and the name of the list that YAML has instead."""

SEVERAL = frozenset({"import"})
"""Elements that may occur several times and are not merged into one."""

NAMED_CHILDREN = {"properties": "property", "member-attributes": "attribute"}
"""For each section, the element that may be repeated; each occurrence is a setting with the name that it states."""


def read_xml(data: bytes, fill: Fill = as_it_stands, first: int = 1) -> Section:
    """Return the settings in a file's bytes, with the root element as the only entry; SettingError says what is wrong.

    Every text of the file goes through `fill`; lines are counted from `first`.
    """
    handler = _Handler(fill, first)
    try:
        parseString(data, handler, forbid_dtd=True)
    except SAXParseException as error:
        raise SettingError((error.getLineNumber() or 1) + first - 1, f"not XML: {error.getMessage()}") from None
    except DefusedXmlException:
        raise SettingError(handler.line, "document types and entities are not read; write the text itself") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, SettingError):
            raise
        raise SettingError(first, f"not XML: {error}") from None
    return Section(tuple(handler.roots), first)


@dataclass(slots=True)
class _Element:
    tag: Scalar
    name: Scalar | None
    entries: list[tuple[Scalar, Setting]]
    """The element's attributes, then its children."""
    has_children: bool = False
    text: list[str] = field(default_factory=list)


class _Handler(ContentHandler):
    """Builds the settings of a file, inner elements before outer ones."""

    def __init__(self, fill: Fill, first: int) -> None:
        super().__init__()
        self._fill = fill
        self._before = first - 1
        self.roots: list[tuple[Scalar, Setting]] = []
        self._open: list[_Element] = []
        self._count = 0
        self._place: Locator | None = None

    @property
    def line(self) -> int:
        """The line that is being read."""
        return self._before + ((self._place.getLineNumber() if self._place is not None else None) or 1)

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802 - the library's name
        """Remember the locator, which knows the line."""
        self._place = locator

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the library's name
        """Open an element."""
        self._count += 1 + len(attrs)
        check_count(self._count, self.line)
        if len(self._open) > DEPTH_MAX:
            raise SettingError(self.line, f"settings are nested more than {DEPTH_MAX} deep; nest them less")
        attributes = {
            key: Scalar(self._fill(text.strip(), self.line), self.line)
            for key, text in attrs.items()
            if not (":" in key or key == "xmlns")
        }
        own_name = attributes.pop("name", None)
        entries: list[tuple[Scalar, Setting]] = [(Scalar(key, self.line), text) for key, text in attributes.items()]
        self._open.append(_Element(Scalar(name.rpartition(":")[2], self.line), own_name, entries))

    def characters(self, content: str) -> None:
        """Add a piece of text to the element that was opened last."""
        self._open[-1].text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802 - the library's name
        """Close an element, and add its setting to the element around it."""
        element = self._open.pop()
        element.text = [self._fill("".join(element.text).strip(), element.tag.line)]
        if not self._open:
            self.roots.append(_make_entry(element))
            return
        around = self._open[-1]
        around.has_children = True
        wanted = NAMED_CHILDREN.get(around.tag.text) if len(self._open) <= 2 else None
        around.entries.append(_make_entry(element) if wanted is None else _make_named(element, wanted, around.tag.text))


def _make_entry(element: _Element) -> tuple[Scalar, Setting]:
    setting = _make_setting(element)
    if element.name is not None:
        setting = Section(((element.name, setting),), element.tag.line)
    return element.tag, setting


def _make_named(element: _Element, wanted: str, where: str) -> tuple[Scalar, Setting]:
    """Return an element's setting with the name that the element states, in a section whose names the user chooses."""
    Section(((element.tag, element.tag),), element.tag.line).check_names([wanted], where, closed=True)
    if element.name is None:
        raise SettingError(element.tag.line, f"a {wanted} of {where} has no name; give it one")
    return element.name, _make_setting(element)


def _make_setting(element: _Element) -> Setting:
    tag, line = element.tag.text, element.tag.line
    text = "".join(element.text).strip()
    if element.has_children or text.strip(".…") == "":  # dots stand for settings that were left out
        text = ""
    if tag == "member-group":
        return _make_member_group(element, text)
    if not element.entries:
        return Scalar(text, line)
    if text:
        element.entries.append((Scalar("value", line), Scalar(text, line)))
    if tag in LISTS:
        element.entries = _gather(element.entries, *LISTS[tag])
    return Section(tuple(_merge_repeats(element.entries)), line)


def _merge_repeats(entries: Iterable[tuple[Scalar, Setting]]) -> list[tuple[Scalar, Setting]]:
    """Return the entries; repeated entries are merged as Hazelcast merges them: one after the other into one value."""
    repeats: dict[str, list[tuple[Scalar, Setting]]] = {}
    several: list[tuple[Scalar, Setting]] = []
    for key, value in entries:
        (several if key.text in SEVERAL else repeats.setdefault(key.text, [])).append((key, value))
    return [*((found[0][0], _merge([value for _, value in found])) for found in repeats.values()), *several]


def _merge(values: Sequence[Setting]) -> Setting:
    """Join sections or lists into one; of other values return the last, but never an empty text that follows a section
    or list.

    All values of a name are joined at once, since joining many values one by one would take quadratic time.
    """
    joined: list[Setting] = []
    for value in values:
        if joined and isinstance(value, Section | Items) and type(value) is type(joined[0]):
            joined.append(value)
        elif not (joined and not isinstance(joined[0], Scalar) and isinstance(value, Scalar) and value.text == ""):
            joined = [value]
    if len(joined) == 1:
        return joined[0]
    items = [one for value in joined if isinstance(value, Items) for one in value.values]
    entries = [entry for value in joined if isinstance(value, Section) for entry in value.entries]
    line = joined[0].line
    return Items(tuple(items), line) if isinstance(joined[0], Items) else Section(tuple(_merge_repeats(entries)), line)


def _make_member_group(element: _Element, text: str) -> Items:
    if text:
        raise SettingError(element.tag.line, f'member-group is the text "{text}"; write <interface>{text}</interface>')
    Section(tuple(element.entries), element.tag.line).check_names(["interface"], "member-group", closed=True)
    return Items(tuple(value for _, value in element.entries), element.tag.line)


def _gather(entries: list[tuple[Scalar, Setting]], repeated: str, name: str) -> list[tuple[Scalar, Setting]]:
    """Return the entries, with all repeated entries gathered in a single list."""
    found = [(key, value) for key, value in entries if key.text == repeated]
    if not found:
        return entries
    line = found[0][0].line
    gathered = Items(tuple(value for _, value in found), line)
    return [*(entry for entry in entries if entry[0].text != repeated), (Scalar(name, line), gathered)]


ANOTHER_DOCUMENT = "but found another document"
"""What the parser's message says if there is a second document in the file."""
FROM_CONFIG_MAP = "save the text that a ConfigMap holds under hazelcast.yaml as a file"
MERGE = "tag:yaml.org,2002:merge"
"""The tag that the parser gives to the key `<<`, unless this key is in quotes, which makes it a plain name."""


def read_yaml(data: bytes, fill: Fill = as_it_stands, first: int = 1) -> Section:
    """Return the settings in a file's bytes, as a section of the top-level names; SettingError says what is wrong.

    Every text goes through `fill`; lines are counted from `first`.
    """
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise SettingError(data[: error.start].count(b"\n") + first, "the text is no UTF-8; save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + first if error.problem_mark is not None else first
        if error.problem == ANOTHER_DOCUMENT and re.search(rb"(?m)^kind:", data):
            raise SettingError(line, f"the file holds several resources of Kubernetes; {FROM_CONFIG_MAP}") from None
        raise SettingError(line, f"not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise SettingError(first, f"not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise SettingError(first, f"settings are nested more than {DEPTH_MAX} deep; nest them less") from None
    if root is None:
        raise SettingError(first, "the file is empty; a configuration begins with hazelcast:")
    found = _Reader(fill, first).read(root, 0)
    if not isinstance(found, Section):
        raise SettingError(found.line, "the file holds no settings with names; a configuration begins with hazelcast:")
    return found


class _Reader:
    """Turns the nodes of a file into settings, each node only once, however often the file refers to it."""

    def __init__(self, fill: Fill, first: int) -> None:
        self._fill = fill
        self._first = first
        self._known: dict[int, Setting] = {}
        self._count = 0

    def read(self, node: yaml.Node, depth: int) -> Setting:
        """Return the setting of a node; SettingError if it contains itself."""
        line = node.start_mark.line + self._first
        self._count += 1
        check_count(self._count, line)
        if depth > DEPTH_MAX:
            raise SettingError(line, f"settings are nested more than {DEPTH_MAX} deep, or hold themselves; mend them")
        if id(node) not in self._known:
            self._known[id(node)] = self._make(node, line, depth)
        return self._known[id(node)]

    def _make(self, node: yaml.Node, line: int, depth: int) -> Setting:
        match node:
            case yaml.MappingNode():
                return Section(tuple(self._entries(node, depth)), line)
            case yaml.SequenceNode():
                return Items(tuple(self.read(value, depth + 1) for value in node.value), line)
            case _:
                is_nothing = node.tag == "tag:yaml.org,2002:null"
                return Scalar("" if is_nothing else self._fill(str(node.value).strip(), line), line)

    def _entries(self, node: yaml.MappingNode, depth: int) -> Iterator[tuple[Scalar, Setting]]:
        """Yield the settings of a mapping, and then those merged-in settings whose names it does not have itself."""
        own: set[str] = set()
        merged: list[Setting] = []
        for key, value in node.value:
            setting = self.read(value, depth + 1)
            if key.tag == MERGE:
                merged += setting.values if isinstance(setting, Items) else (setting,)
                continue
            name = self._read_key(key)
            own.add(name.text)
            yield name, setting
        for source in merged:
            if not isinstance(source, Section):
                raise SettingError(source.line, "<< must name a section of settings, or a list of such sections")
            self._count += len(source.entries)
            check_count(self._count, source.line)
            for name, setting in source.entries:
                if name.text not in own:
                    own.add(name.text)
                    yield name, setting

    def _read_key(self, node: yaml.Node) -> Scalar:
        line = node.start_mark.line + self._first
        if not isinstance(node, yaml.ScalarNode):
            raise SettingError(line, "the name of a setting must be a text")
        return Scalar(str(node.value).strip(), line)
