"""The cost of calls: time, messages and bytes.

Calls and messages are counted while clients are at work; messages of a member to itself do not count. No wire format is
simulated: a message has the size that `size_of` gives it, which is the same for all policies that are compared.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from operator import attrgetter
from typing import Any
from uuid import UUID

from gridproof_implementation.protocol import calls
from gridproof_implementation.protocol.anti_entropy.messages import (
    Summary,
    SummaryAnswer,
    SyncAnswer,
    SyncRequest,
    SyncRetry,
)
from gridproof_implementation.protocol.effects import Message
from gridproof_model.membership import MemberId
from gridproof_model.trace import OperationKind, Outcome
from gridproof_properties.measures.quantity import Histogram, Measured, count, histogram
from gridproof_properties.measures.writes import READS

HEADER_BYTES, NUMBER_BYTES, LENGTH_BYTES, MEMBER_BYTES = 16, 8, 4, 24
SYNC = frozenset({Summary, SummaryAnswer, SyncRequest, SyncAnswer, SyncRetry})
QUANTITIES = (
    histogram("call_us", "How long each call took that ended well, as its client saw it.", "us"),
    histogram("write_us", "Of these, calls that are no reads of an entry or a whole structure.", "us"),
    histogram("read_us", "Of these, reads.", "us"),
    count("messages", "Messages between two members, whatever they are about; lost ones, too."),
    count(
        "write_messages",
        "Of these, requests of operations that change something, their answers, updates of backups and their "
        "acknowledgements.",
    ),
    count("write_bytes", "Bytes of the messages of writes.", "bytes"),
    count("sync_messages", "Messages of anti-entropy: summaries, their answers, and syncs."),
    count("sync_bytes", "Bytes of the messages of anti-entropy.", "bytes"),
)


@dataclass(slots=True)
class Traffic:
    """Counts messages, and measures the time of calls."""

    found: Counter[str] = field(default_factory=Counter)
    took: Mapping[str, Histogram] = field(
        default_factory=lambda: {name: Histogram() for name in ("call_us", "write_us", "read_us")}
    )
    _writing: set[tuple[int, int]] = field(default_factory=set)
    """Attempts of calls that change something, by the caller's number and the attempt's id."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Count a message."""
        is_write = self._is_of_a_write(sender, receiver, message)
        if sender == receiver:
            return
        self.found["messages"] += 1
        if is_write:
            self.found["write_messages"] += 1
            self.found["write_bytes"] += size_of(message)
        elif type(message) in SYNC:
            self.found["sync_messages"] += 1
            self.found["sync_bytes"] += size_of(message)

    def call(self, kind: OperationKind, outcome: Outcome, start_us: int, end_us: int) -> None:
        """Record how long a call took."""
        if outcome is Outcome.OK:
            self.took["call_us"].add(end_us - start_us)
            self.took["read_us" if kind in READS else "write_us"].add(end_us - start_us)

    def conclude(self) -> Measured:
        """Return the measured quantities."""
        names = ("messages", "write_messages", "write_bytes", "sync_messages", "sync_bytes")
        return {**self.took, **{name: self.found[name] for name in names}}

    def _is_of_a_write(self, sender: int, receiver: int, message: Message) -> bool:
        match message:
            case calls.Backup() | calls.BackupAck():
                return True
            case calls.Request():
                return self._note(sender, message.call_id, reads=message.operation.READ_ONLY)
            case calls.IteratingRequest():
                reads = all(one.READ_ONLY for _, one in message.operations)
                return self._note(sender, message.call_id, reads=reads)
            case calls.Response() | calls.ErrorResponse() | calls.CallTimeoutResponse() | calls.IteratingResponse():
                return (receiver, message.call_id) in self._writing
            case _:
                return False

    def _note(self, caller: int, call_id: int, *, reads: bool) -> bool:
        """Note that an attempt changes something: the answer to it names only the attempt's number."""
        if not reads:
            self._writing.add((caller, call_id))
        return not reads


def size_of(message: Message) -> int:
    """Return the size of a message in bytes: 16, and the sizes of its fields.

    A number takes 8 bytes, a member 24, a text 4 and its own bytes, a sequence 4 and those of its elements, and None or
    a boolean takes 1.
    """
    return HEADER_BYTES + _SIZERS[type(message)](message)


class _Sizers(dict[type[object], Callable[[Any], int]]):
    """For each type, the function that returns the size of a value; it is made when the type first occurs."""

    def __missing__(self, kind: type[object]) -> Callable[[Any], int]:
        sizer = self[kind] = _sizer(kind)
        return sizer


def _sizer(kind: type[object]) -> Callable[[Any], int]:
    """Return the function that returns the size of a value of this type."""
    sizers = _SIZERS
    if issubclass(kind, Mapping):
        return lambda value: LENGTH_BYTES + sum([sizers[type(part)](part) for pair in value.items() for part in pair])
    if issubclass(kind, Collection) and not issubclass(kind, str):
        return lambda value: LENGTH_BYTES + sum([sizers[type(part)](part) for part in value])
    if kind in _FIXED or not is_dataclass(kind):
        size = _FIXED.get(kind, NUMBER_BYTES)
        return lambda value: size
    fixed = sum(_FIXED.get(part.type, 0) for part in fields(kind))
    names = [part.name for part in fields(kind) if part.type not in _FIXED]
    if not names:
        return lambda value: fixed
    if len(names) == 1:
        (name,) = names
        return lambda value: fixed + sizers[type(part := getattr(value, name))](part)
    parts = attrgetter(*names)
    return lambda value: fixed + sum([sizers[type(part)](part) for part in parts(value)])


_FIXED: Mapping[object, int] = {
    int: NUMBER_BYTES,
    float: NUMBER_BYTES,
    type(None): 1,
    bool: 1,
    MemberId: MEMBER_BYTES,
    UUID: MEMBER_BYTES,
}
"""Types whose values all have the same size; for a field of such a type, the value need not be looked at."""
_SIZERS = _Sizers({str: lambda value: LENGTH_BYTES + len(value.encode())})
