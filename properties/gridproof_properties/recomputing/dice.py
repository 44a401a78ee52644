"""Random numbers by what they are for.

Each simulation has a generator of its own, made from the seed and a label: what is computed before it changes nothing.
"""

from zlib import crc32

import numpy as np
from numpy.random import Generator

from gridproof_properties.recomputing.paper import Effort


def dice_for(effort: Effort, label: str) -> Generator:
    """Return the generator of one simulation."""
    return np.random.default_rng([effort.seed, crc32(label.encode())])
