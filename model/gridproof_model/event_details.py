"""The detail of a protocol event, in one line.

A step of the protocol stands in a trace as an event; its detail is `name=value` for every field, separated by blanks:
`partition=3 slots=[0,2,-] why=planned`. Numbers stand as they are, members by their number in the trace, `-` for none,
lists in brackets, texts as they are or, where they hold anything but plain characters, in JSON's quotes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

NONE = "-"
_PLAIN = re.compile(r"[A-Za-z0-9_.:/#@+<>-]+")
_PAIR = re.compile(r'([a-z_0-9]+)=("(?:[^"\\]|\\.)*"|\[(?:[^\[\]]|\[[^\[\]]*\])*\]|[^ ]*)')
"""A list may hold lists of values, and those no further ones."""


def write_details(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the detail made of names and values that are written already."""
    return " ".join([f"{name}={value}" for name, value in pairs])


def write_text(text: str) -> str:
    """Return a text as a value."""
    return text if _PLAIN.fullmatch(text) and text != NONE else json.dumps(text, ensure_ascii=False)


def write_list(values: Iterable[str]) -> str:
    """Return written values as one."""
    return f"[{','.join(values)}]"


@lru_cache(maxsize=4)
def read_details(detail: str) -> Mapping[str, str]:
    """Return the values of a detail by name, texts without their quotes; empty when it is no such detail.

    The last few are kept: several judges read one event in turn.
    """
    return {name: _unquote(value) for name, value in _PAIR.findall(detail)}


def _unquote(value: str) -> str:
    """Return a value without its quotes; as it stands where nobody who writes details can have written them."""
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value


def read_list(value: str) -> tuple[str, ...]:
    """Return the parts of a list."""
    inner = value.removeprefix("[").removesuffix("]")
    return tuple(inner.split(",")) if inner else ()
