"""Every kind of entry processor."""

from gridproof_implementation.protocol.entry_processor import EntryProcessor
from gridproof_implementation.protocol.entry_processors.append import Append
from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.entry_processors.inspect import Inspect
from gridproof_implementation.protocol.entry_processors.throw import Throw, ThrowOnBackup

ENTRY_PROCESSORS: tuple[type[EntryProcessor], ...] = (Increment, Append, Inspect, Throw, ThrowOnBackup)
