"""Hazelcast YAML to settings, with line numbers."""

import re
from collections.abc import Iterator

import yaml

from gridproof_implementation.config.document import (
    DEPTH_MAX,
    Items,
    Scalar,
    Section,
    Setting,
    SettingError,
    check_count,
)
from gridproof_implementation.config.variables import Fill, as_it_stands

ANOTHER_DOCUMENT = "but found another document"
"""What the parser says of a second document."""
FROM_CONFIG_MAP = "save the text that a ConfigMap holds under hazelcast.yaml as a file"
MERGE = "tag:yaml.org,2002:merge"
"""What `<<` is, where it is not a quoted name."""


def read_yaml(data: bytes, fill: Fill = as_it_stands, first: int = 1) -> Section:
    """Return the settings of a file's bytes, its top-level names as one section; SettingError says what is wrong.

    Every text goes through `fill`; lines are counted from `first`.
    """
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise SettingError(
            data[: error.start].count(b"\n") + first, "the text is not UTF-8; save it as UTF-8"
        ) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + first if error.problem_mark is not None else first
        if error.problem == ANOTHER_DOCUMENT and re.search(rb"(?m)^kind:", data):
            raise SettingError(line, f"several resources of Kubernetes; {FROM_CONFIG_MAP}") from None
        raise SettingError(line, f"not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise SettingError(first, f"not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise SettingError(first, f"nested more than {DEPTH_MAX} deep; no configuration is") from None
    if root is None:
        raise SettingError(first, "the file is empty; a configuration begins with hazelcast:")
    found = _Reader(fill, first).read(root, 0)
    if not isinstance(found, Section):
        raise SettingError(found.line, "a configuration is settings with names; it begins with hazelcast:")
    return found


class _Reader:
    """Turns nodes into settings, each node once however often the file refers to it."""

    def __init__(self, fill: Fill, first: int) -> None:
        self._fill = fill
        self._first = first
        self._known: dict[int, Setting] = {}
        self._count = 0

    def read(self, node: yaml.Node, depth: int) -> Setting:
        """Return the setting of a node; SettingError where it holds itself."""
        line = node.start_mark.line + self._first
        self._count += 1
        check_count(self._count, line)
        if depth > DEPTH_MAX:
            raise SettingError(line, f"nested more than {DEPTH_MAX} deep; no configuration is, and none holds itself")
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
        """Yield the settings of a mapping, and behind them those that it merges in and has not itself."""
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
                raise SettingError(source.line, "<< merges named settings in, or a list of such; this is neither")
            self._count += len(source.entries)
            check_count(self._count, source.line)
            for name, setting in source.entries:
                if name.text not in own:
                    own.add(name.text)
                    yield name, setting

    def _read_key(self, node: yaml.Node) -> Scalar:
        line = node.start_mark.line + self._first
        if not isinstance(node, yaml.ScalarNode):
            raise SettingError(line, "the name of a setting is one text")
        return Scalar(str(node.value).strip(), line)
