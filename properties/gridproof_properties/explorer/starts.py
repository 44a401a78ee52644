"""Every initial state, packed."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

import numpy as np

from gridproof_model.language.cells import codes, width
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.limits import describe_count, starts_of
from gridproof_model.language.tree import ANY
from gridproof_model.language.values import initial_values
from gridproof_model.language.world import World
from gridproof_properties.explorer.packing import WORD_BYTES, Packing, Words

MEBIBYTE = 1 << 20
BATCH = 1 << 15
"""Values that are plain numbers at once."""
T = TypeVar("T")


def initial_words(world: World, packing: Packing, memory_bytes: int) -> Words:
    """Return every initial state once; SpecificationError where they, copied as they are sorted, would not fit."""
    count = starts_of(world.variables)
    if count > 1 and 4 * count * packing.words * WORD_BYTES > memory_bytes:
        at = next((variable.at for variable in world.variables if variable.initial is ANY), world.title)
        limit = f"more than fit in {memory_bytes / MEBIBYTE:,.0f} MiB"
        raise SpecificationError(f"it may start in {describe_count(count)} ways, {limit}", at)
    words = np.zeros((packing.words, 1), dtype=np.uint64)
    first = 0
    for variable in world.variables:
        rows = (tuple(codes(variable.domain, value)) for value in initial_values(variable.domain, variable.initial))
        parts = np.concatenate([packing.pack(part, first) for part in _batched(rows)], axis=1)
        words = (words[:, :, None] | parts[:, None, :]).reshape(packing.words, -1)
        first += width(variable.domain)
    return words


def _batched(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows in lists (`itertools.batched` of later versions of Python)."""
    going = iter(rows)
    while part := list(islice(going, BATCH)):
        yield part
