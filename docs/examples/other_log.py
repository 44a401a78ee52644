"""The log of another program as a trace.

python other_log.py LOG TRACE
"""

import re
import sys
from pathlib import Path

from gridproof_implementation.trace import write_trace
from gridproof_model.events import Event
from gridproof_model.events.invocation import AttemptSent, CallBegun, CallEnded
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.words import Applied, CallEnding, WhyRowChanged
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, RunRecord, VerdictRecord

LINE = re.compile(r"\d+:(\d+):(\d+)\.(\d+) n(\d+) (\w+) ?(\d*) ?(.*)")
PROMISED = ("backup-never-goes-back", "calls-end-once", "strict-means-copies")


def member_of(name: str) -> int:
    """Return the number of a node: n1 is member 0."""
    return int(name[1:]) - 1


def events_of(what: str, call: int, fields: dict[str, str]) -> tuple[Event, ...]:
    """Return what a line of the log says."""
    partition, caller = int(fields.get("p", 0)), member_of(fields.get("caller", "n1"))
    identity, version = int(fields.get("id", 0)), int(fields.get("version", 0))
    match what:
        case "table":
            holders = tuple(member_of(name) for name in fields["copies"].split(","))
            return (RowInstalled(partition, int(fields["v"]), holders, WhyRowChanged.RECEIVED),)
        case "call":
            begun = CallBegun(call, partition, "put", is_read_only=False, is_strict=True)
            return begun, AttemptSent(call, 1, call, member_of(fields["to"]), list_version=1)
        case "apply":
            return (Executed(partition, "map", "put", caller, identity, (version,), True, (1,), acks=1),)
        case "backup":
            return (BackupApplied(partition, "map", 1, version, Applied.NEXT, False, caller, identity),)
        case "done":
            return (CallEnded(call, CallEnding.ACKNOWLEDGED, call, int(fields["copies"])),)
    raise ValueError(f"the log says {what!r}")


with write_trace(sys.argv[2]) as trace:
    trace.write(RunRecord("other-1", "other", "1.0", 0, partition_count=2, backup_count=1))
    for line in Path(sys.argv[1]).read_text().splitlines():
        minutes, seconds, ms, node, what, call, rest = LINE.fullmatch(line).groups()
        at_ms, member = int(minutes) * 60_000 + int(seconds) * 1_000 + int(ms), int(node) - 1
        if what == "started":
            trace.write(MemberRecord("other-1", at_ms, member, MemberChange.JOINED, f"n{node}", f"n{node}"))
        else:
            fields = dict(pair.split("=") for pair in rest.split() if "=" in pair)
            for event in events_of(what, int(call or 0), fields):
                trace.write(EventRecord("other-1", at_ms, member, event))
    for name in PROMISED:  # what the documents of the program promise
        trace.write(VerdictRecord("other-1", name, "unknown", "promised", "not judged yet", ()))
