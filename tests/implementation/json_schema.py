"""As much of JSON Schema as the agent protocol uses."""

import re
from collections.abc import Mapping
from typing import Any

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def fits(found: Any, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """Whether a value is as a schema says; `whole` is the document that references mean."""
    return all(KEYWORDS[word](found, told, schema, whole) for word, told in schema.items())


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: true is not 1."""
    return type(left) is type(right) and bool(left == right)


def is_type(found: Any, name: str) -> bool:
    return isinstance(found, TYPES[name]) and not (name == "integer" and isinstance(found, bool))


def is_number(found: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


def resolve(reference: str, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what "#/a/b" names."""
    part: Any = whole
    for name in reference.removeprefix("#/").split("/"):
        part = part[name]
    named: Mapping[str, Any] = part
    return named


KEYWORDS: Mapping[str, Any] = {
    "$ref": lambda found, told, _, whole: fits(found, resolve(told, whole), whole),
    "type": lambda found, told, *_: any(is_type(found, one) for one in ([told] if isinstance(told, str) else told)),
    "enum": lambda found, told, *_: any(same(found, one) for one in told),
    "const": lambda found, told, *_: same(found, told),
    "minimum": lambda found, told, *_: not is_number(found) or found >= told,
    "maximum": lambda found, told, *_: not is_number(found) or found <= told,
    "minLength": lambda found, told, *_: not isinstance(found, str) or len(found) >= told,
    "pattern": lambda found, told, *_: not isinstance(found, str) or re.search(told, found) is not None,
    "required": lambda found, told, *_: not isinstance(found, dict) or all(name in found for name in told),
    "properties": lambda found, told, _, whole: (
        not isinstance(found, dict) or all(fits(found[name], told[name], whole) for name in told if name in found)
    ),
    "additionalProperties": lambda found, told, schema, whole: (
        not isinstance(found, dict)
        or all(fits(part, told, whole) for name, part in found.items() if name not in schema.get("properties", {}))
    ),
    "items": lambda found, told, _, whole: not isinstance(found, list) or all(fits(one, told, whole) for one in found),
    "anyOf": lambda found, told, _, whole: any(fits(found, one, whole) for one in told),
}
