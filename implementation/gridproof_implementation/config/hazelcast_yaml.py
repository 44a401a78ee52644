"""Hazelcast YAML to settings, with line numbers."""

import yaml

from gridproof_implementation.config.document import DEPTH_MAX, Items, Scalar, Section, Setting, SettingError


def read_yaml(data: bytes) -> Section:
    """Return the settings of a file's bytes, its top-level names as one section; SettingError says what is wrong."""
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise SettingError(data[: error.start].count(b"\n") + 1, "the text is not UTF-8; save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise SettingError(line, f"not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise SettingError(1, f"not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise SettingError(1, f"nested more than {DEPTH_MAX} deep; no configuration is") from None
    if root is None:
        raise SettingError(1, "the file is empty; a configuration begins with hazelcast:")
    found = _Reader().read(root, 0)
    if not isinstance(found, Section):
        raise SettingError(found.line, "a configuration is settings with names; it begins with hazelcast:")
    return found


class _Reader:
    """Turns nodes into settings, each node once however often the file refers to it."""

    def __init__(self) -> None:
        self._known: dict[int, Setting] = {}

    def read(self, node: yaml.Node, depth: int) -> Setting:
        """Return the setting of a node; SettingError where it holds itself."""
        line = node.start_mark.line + 1
        if depth > DEPTH_MAX:
            raise SettingError(line, f"nested more than {DEPTH_MAX} deep; no configuration is, and none holds itself")
        if id(node) not in self._known:
            self._known[id(node)] = self._make(node, line, depth)
        return self._known[id(node)]

    def _make(self, node: yaml.Node, line: int, depth: int) -> Setting:
        match node:
            case yaml.MappingNode():
                entries = ((self._read_key(key), self.read(value, depth + 1)) for key, value in node.value)
                return Section(tuple(entries), line)
            case yaml.SequenceNode():
                return Items(tuple(self.read(value, depth + 1) for value in node.value), line)
            case _:
                is_nothing = node.tag == "tag:yaml.org,2002:null"
                return Scalar("" if is_nothing else str(node.value).strip(), line)

    def _read_key(self, node: yaml.Node) -> Scalar:
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.ScalarNode):
            raise SettingError(line, "the name of a setting is one text")
        return Scalar(str(node.value).strip(), line)
