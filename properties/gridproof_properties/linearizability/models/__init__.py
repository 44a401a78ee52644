"""The structures that can be checked, one model a file."""

from gridproof_properties.linearizability.models.counter import Counter
from gridproof_properties.linearizability.models.entry import Entry
from gridproof_properties.linearizability.models.lock import Lock
from gridproof_properties.linearizability.models.queue import Queue
from gridproof_properties.linearizability.models.register import Register
from gridproof_properties.linearizability.models.set import SetOfItems
from gridproof_properties.linearizability.models.text import Text
from gridproof_properties.linearizability.sequential import SequentialModel

MODELS: tuple[SequentialModel, ...] = (Register(), Entry(), Counter(), Queue(), Lock(), SetOfItems(), Text())
