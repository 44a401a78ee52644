"""Keys as members of Hazelcast hash them, recorded: `member_keys.jsonl`.

A line is a key, its hash by a member of Hazelcast 5.7.0 whose byte order is big-endian, and by one whose is
little-endian. `tests/implementation/test_member_keys.py` asks members anew every night, and writes the file:
`python -m tests.implementation.test_member_keys`.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from gridproof_model.keys import ELEMENTS, Fields, Key, KeyType, KeyValue

FILE = Path(__file__).parent / "member_keys.jsonl"


@dataclass(frozen=True)
class Recorded:
    """A key and what a member said."""

    key: Key
    big: int
    little: int


def recorded() -> Sequence[Recorded]:
    rows = [json.loads(line) for line in FILE.read_text().splitlines()]
    return [Recorded(read(key), big, little) for key, big, little in rows]


def read(written: Any) -> Key:
    """Return the key of a type and a form: `Key.written` the other way round."""
    kind, form = KeyType(written[0]), written[1]
    return Key(kind, _value(kind, form))


def _value(kind: KeyType, form: Any) -> KeyValue:
    match kind:
        case KeyType.LIST:
            return tuple(None if one is None else read(one) for one in form)
        case KeyType.COMPACT | KeyType.PORTABLE:
            fields = tuple((name, read(key)) for name, *key in form[1])
            return Fields(fields, form[0]) if kind is KeyType.COMPACT else Fields(fields, ids=tuple(form[0]))
        case KeyType.BOOLEAN:
            return bool(form == "true")
        case KeyType.FLOAT | KeyType.DOUBLE:
            return float(struct.unpack(">f" if kind is KeyType.FLOAT else ">d", bytes.fromhex(form))[0])
        case KeyType.BYTES | KeyType.RAW:
            return bytes.fromhex(form)
        case KeyType.UUID:
            return UUID(form)
        case KeyType.BIG_DECIMAL:
            return Decimal(form)
        case KeyType.LOCAL_DATE:
            return date.fromisoformat(form)
        case KeyType.LOCAL_TIME:
            return time.fromisoformat(form)
        case KeyType.LOCAL_DATE_TIME | KeyType.OFFSET_DATE_TIME:
            return datetime.fromisoformat(form)
        case KeyType.STRING | KeyType.JSON | KeyType.CHAR | KeyType.CHARS:
            return str(form)
        case _ if kind in ELEMENTS:
            values: Any = tuple(_value(ELEMENTS[kind], one) for one in form)
            return values  # type: ignore[no-any-return]
        case _:
            return int(form)
