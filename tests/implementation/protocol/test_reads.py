"""Which operations only look.

They need no backup, and are protected as reads.
"""

import pytest

from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, Unlock
from gridproof_implementation.protocol.structures.map import Clear, ContainsKey, Get, Process, Put, PutAll, Remove, Size
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll, QueueSize
from gridproof_implementation.protocol.structures.set import Add, Contains, Discard, Elements


@pytest.mark.parametrize("kind", [Get, ContainsKey, Size, Peek, QueueSize, ReadAll, Contains, Elements, IsLocked])
def test_what_only_looks_is_a_read(kind: type[Operation]) -> None:
    assert kind.READ_ONLY


@pytest.mark.parametrize("kind", [Put, Remove, PutAll, Clear, Process, Offer, Poll, Append, Add, Discard, Lock, Unlock])
def test_what_may_change_something_is_no_read(kind: type[Operation]) -> None:
    assert not kind.READ_ONLY
