"""Files that hold a configuration, but are none.

Values of a Helm chart, Kubernetes' resources, Spring's beans: each is refused with one line that says where in it the
configuration stands.
"""

from collections.abc import Collection

from gridproof_implementation.config.document import Scalar, Section, Setting, SettingError, section_of

CHART_SETTINGS = frozenset({"javaOpts", "loggingLevel", "configurationFiles", "existingConfigMap", "licenseKey"})
"""Settings of a Helm chart's section `hazelcast`, which a member has not."""
ROOT = "hazelcast"
_OF_CHART = "values of a Helm chart; the configuration stands under {}: save that as a file"
_CHARTS_DEPTH = 8
"""Charts within charts that are looked into."""
CLIENTS = ("hazelcast-client", "hazelcast-client-failover")
OPERATOR = "hazelcast.com/"


def refuse_foreign(document: Section) -> None:
    """SettingError where a document is of another kind that may hold a configuration."""
    kind, version = (_text(document, name) for name in ("kind", "apiVersion"))
    if kind == "ConfigMap":
        _refuse_config_map(document)
    if kind and version.startswith(OPERATOR):
        raise SettingError(
            document.line,
            f"a resource of Hazelcast's operator ({kind}); the operator makes the configuration of its members from "
            "spec: give that, from the secret or ConfigMap the operator wrote",
        )
    if kind and version:
        raise SettingError(document.line, f"a resource of Kubernetes ({kind}), no configuration of a Hazelcast member")
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
    """Return the end of a sentence that says where a member's configuration stands further in, or nothing."""
    found = find_nested(document, known)
    return (
        ""
        if found is None
        else f"; one stands in line {found[1].line}, under {', '.join(found[0])}: save that as a file"
    )


def find_nested(document: Section, known: Collection[str] = ()) -> tuple[tuple[str, ...], Section] | None:
    """Return a member's configuration that stands further in, with the names that lead there.

    It stands in a section `yaml`, as in values of charts, or is called as its root and holds a known section, however
    deep; a section that the file refers to is looked at once.
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
                name.line, f"a ConfigMap; the configuration is the text of data, {name.text}: save it as a file"
            )
    raise SettingError(document.line, "a ConfigMap without a file that ends in .yaml or .xml under data")


def _refuse_chart(settings: Section) -> None:
    """Refuse the values of a Helm chart: its section `hazelcast` has settings of the chart."""
    inner = settings.get("yaml")
    if isinstance(inner, Section):
        raise SettingError(inner.line, _OF_CHART.format("hazelcast, yaml"))
    found = next((key for key, _ in settings.entries if key.text in CHART_SETTINGS), None)
    if found is not None:
        raise SettingError(
            found.line,
            f"values of a Helm chart ({found.text}); a member's configuration would stand under hazelcast, yaml",
        )


def _refuse_beans(beans: Setting) -> None:
    """Refuse Spring's beans: the configuration stands in an element `config` in Hazelcast's namespace."""
    found = _find(beans, "config", 0)
    where = "; the configuration is what stands in <hz:config>"
    line = beans.line if found is None else found.line
    place = where if found is not None else ", and no <hz:config> stands in it"
    raise SettingError(line, f"beans of Spring{place}{': save it as <hazelcast>' if found is not None else ''}")


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
