"""As much of JSON Schema as the agent protocol uses."""

import re
from collections.abc import Mapping
from typing import Any

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def fits(found: Any, schema: Mapping[str, Any] | bool, whole: Mapping[str, Any]) -> bool:
    """Whether a value is as a schema says; `whole` is the document that references mean."""
    if isinstance(schema, bool):
        return schema
    return all(KEYWORDS[word](found, wanted, schema, whole) for word, wanted in schema.items())


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
    "$ref": lambda found, wanted, _, whole: fits(found, resolve(wanted, whole), whole),
    "type": lambda found, wanted, *_: any(
        is_type(found, one) for one in ([wanted] if isinstance(wanted, str) else wanted)
    ),
    "enum": lambda found, wanted, *_: any(same(found, one) for one in wanted),
    "const": lambda found, wanted, *_: same(found, wanted),
    "minimum": lambda found, wanted, *_: not is_number(found) or found >= wanted,
    "maximum": lambda found, wanted, *_: not is_number(found) or found <= wanted,
    "minItems": lambda found, wanted, *_: not isinstance(found, list) or len(found) >= wanted,
    "uniqueItems": lambda found, wanted, *_: (
        not wanted or not isinstance(found, list) or len({repr(one) for one in found}) == len(found)
    ),
    "minLength": lambda found, wanted, *_: not isinstance(found, str) or len(found) >= wanted,
    "pattern": lambda found, wanted, *_: not isinstance(found, str) or re.search(wanted, found) is not None,
    "required": lambda found, wanted, *_: not isinstance(found, dict) or all(name in found for name in wanted),
    "properties": lambda found, wanted, _, whole: (
        not isinstance(found, dict) or all(fits(found[name], wanted[name], whole) for name in wanted if name in found)
    ),
    "additionalProperties": lambda found, wanted, schema, whole: (
        not isinstance(found, dict)
        or all(fits(part, wanted, whole) for name, part in found.items() if name not in schema.get("properties", {}))
    ),
    "items": lambda found, wanted, _, whole: (
        not isinstance(found, list) or all(fits(one, wanted, whole) for one in found)
    ),
    "anyOf": lambda found, wanted, _, whole: any(fits(found, one, whole) for one in wanted),
}
