"""A ring of hashes: buckets with some points each.

Points lie where gridproof's Murmur3 puts them among 2^32 places; a bucket has the arcs that end at its points.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gridproof_implementation.hashing import hash_longs

PLACES = float(1 << 32)


def bucket_sizes(buckets: int, points: int, rng: Generator) -> NDArray[np.float64]:
    """Return the part of the ring that each bucket has, as a multiple of the mean, for points of fresh names."""
    names = rng.integers(-(1 << 63), (1 << 63) - 1, buckets * points)
    places = hash_longs(names).view(np.uint32).astype(np.float64)
    order = places.argsort()
    arcs = np.diff(places[order], prepend=places[order[-1]] - PLACES)
    return np.bincount(order % buckets, weights=arcs, minlength=buckets) * buckets / PLACES
