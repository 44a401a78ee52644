"""Fields as JSON without generated code: what a test and a benchmark hold `trace/json_lines.py` against."""

import json
from collections.abc import Sequence
from typing import Any

from gridproof_implementation.trace.json_lines import Encoder, Refuse
from gridproof_implementation.trace.schema import Field

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def plain_encoder(fields: Sequence[Field], refuse: Refuse) -> Encoder:
    """Return what does the same as `make_encoder` without generated code."""

    def encode(whole: Any) -> str:
        values = {field.name: getattr(whole, field.name) for field in fields}
        if not all(field.accepts(values[field.name]) for field in fields):
            refuse(whole)
        return _ENCODER.encode(values)

    return encode
