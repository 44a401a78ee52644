"""One short word for the whole content of a copy."""

import hashlib
from collections.abc import Mapping

_DIGITS = 16


def digest_entries(entries: Mapping[str, str]) -> str:
    """Return a hexadecimal digest that is equal for equal keys and values, in whatever order they are held."""
    hasher = hashlib.sha256()
    for key, value in sorted(entries.items()):
        for part in (key.encode(), value.encode()):
            hasher.update(len(part).to_bytes(8, "big"))
            hasher.update(part)
    return hasher.hexdigest()[:_DIGITS]
