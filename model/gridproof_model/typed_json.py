"""Reads JSON from any source as values of gridproof's types.

Types alone say what a file must contain: dataclasses, enumerations, tuples, lists, mappings, texts, whole numbers,
truth values. If a value does not fit, the error is one line that says where the value is, what it is, and what it has
to be.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from gridproof_model.own_modules import read_text
from gridproof_model.user_error import UserError, nearest, printable

LEAST, MOST = -(2**63), 2**63 - 1
SHOWN_MAX = 40
"""How many characters of a wrong value an error message shows."""
_WORDS = {str: "text", int: "a whole number of 64 bits", bool: "true or false", NoneType: "null"}


class UnfitError(UserError, ValueError):
    """A value does not fit its type; the message is one line."""


@dataclass(frozen=True, slots=True)
class Within:
    """The bounds of a whole number, used as in `Annotated[int, Within(1, 50)]`."""

    least: int
    most: int


def read_json(path: Path) -> object:
    """Return the content of a JSON file; ValueError if it is not JSON, and the OSErrors of `read_text`."""
    try:
        found: object = json.loads(read_text(path))
    except RecursionError:
        raise ValueError("the JSON is nested too deeply to be read") from None
    return found


def typed(shape: Any, found: object, at: str) -> Any:
    """Return the JSON value that was found at a place as a value of a type; UnfitError if it does not fit.

    Lists become tuples, objects become dataclasses, and texts become members of enumerations, as the type requires.
    `object` and `Any` accept everything.
    """
    origin, parts = get_origin(shape), get_args(shape)
    if shape in (object, Any):
        return found
    if origin is Annotated:
        least, most = parts[1].least, parts[1].most
        value = typed(parts[0], found, at)
        return value if least <= value <= most else _refuse(found, at, f"a whole number from {least:,} to {most:,}")
    if origin in (Union, UnionType):
        return _one_of(parts, found, at)
    if origin in (tuple, list):
        return _listed(origin, parts, found, at)
    if origin in (dict, Mapping):
        known = _of_type(dict, found, at, "an object")
        return {name: typed(parts[1], value, f"{at}.{printable(name[:SHOWN_MAX])}") for name, value in known.items()}
    if is_dataclass(shape):
        return _made(shape, found, at)
    if issubclass(shape, Enum):
        words = [one.value for one in shape]
        return shape(found) if type(found) is str and found in words else _refuse(found, at, " or ".join(words))
    return _of_type(shape, found, at, _WORDS[shape])


def _one_of(shapes: tuple[Any, ...], found: object, at: str) -> Any:
    kinds = [one for one in shapes if one is not NoneType]
    if found is None and NoneType in shapes:
        return None
    for one in kinds[:-1]:
        try:
            return typed(one, found, at)
        except UnfitError:
            continue
    return typed(kinds[-1], found, at)


def _listed(kind: type[Any], parts: tuple[Any, ...], found: object, at: str) -> Any:
    listed = _of_type(list, found, at, "a list")
    if kind is tuple and parts[-1] is not ...:
        if len(listed) != len(parts):
            _refuse(found, at, f"a list of {len(parts)}")
        return tuple(typed(part, one, f"{at}[{n}]") for n, (part, one) in enumerate(zip(parts, listed, strict=True)))
    return kind(typed(parts[0], one, f"{at}[{n}]") for n, one in enumerate(listed))


def _made(shape: Any, found: object, at: str) -> Any:
    given, hints = _of_type(dict, found, at, "an object"), _hints(shape)
    for name in given:
        if name not in hints:
            raise UnfitError(f"{at} has no field {name[:SHOWN_MAX]!r}: {nearest(name, hints)}")
    for field in fields(shape):
        if field.name not in given and field.default is MISSING and field.default_factory is MISSING:
            raise UnfitError(f"{at} lacks the field {field.name!r}")
    return shape(**{name: typed(hints[name], value, f"{at}.{name}") for name, value in given.items()})


@cache
def _hints(shape: Any) -> dict[str, Any]:
    hints = get_type_hints(shape, include_extras=True)
    return {field.name: hints[field.name] for field in fields(shape)}


def _of_type(kind: type[Any], found: object, at: str, words: str) -> Any:
    if type(found) is not kind or (isinstance(found, int) and not LEAST <= found <= MOST):
        _refuse(found, at, words)
    if isinstance(found, str) and not found.isascii():
        try:
            found.encode()
        except UnicodeEncodeError:
            _refuse(found, at, "text that has an encoding")
    return found


def _refuse(found: object, at: str, words: str) -> Any:
    shown = ascii(found) if isinstance(found, str) else _shown(found)
    raise UnfitError(f"{at} is {shown[:SHOWN_MAX]}; it must be {words}")


def _shown(found: object) -> str:
    if isinstance(found, int) and abs(found) > MOST and not isinstance(found, bool):
        return "a number of more than 64 bits"
    return "a list" if isinstance(found, list) else "an object" if isinstance(found, dict) else json.dumps(found)
