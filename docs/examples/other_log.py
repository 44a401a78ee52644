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


def events_of(what: str, call: int, said: dict[str, list[int]]) -> tuple[Event, ...]:
    """Return what a line of the log says; its node n1 is member 0."""
    partition, identity, version, node = (said.get(name, [0])[0] for name in ("p", "id", "version", "caller"))
    match what:
        case "table":
            return (
                RowInstalled(partition, said["v"][0], tuple(one - 1 for one in said["copies"]), WhyRowChanged.RECEIVED),
            )
        case "call":
            return CallBegun(call, partition, "put", False, True), AttemptSent(call, 1, call, said["to"][0] - 1, 1)
        case "apply":
            return (Executed(partition, "map", "put", node - 1, identity, (version,), True, (1,), acks=1),)
        case "backup":
            return (BackupApplied(partition, "map", 1, version, Applied.NEXT, False, node - 1, identity),)
        case "done":
            return (CallEnded(call, CallEnding.ACKNOWLEDGED, call, said["copies"][0]),)
    raise ValueError(f"the log says {what!r}")


with write_trace(sys.argv[2]) as trace:
    trace.write(RunRecord("other-1", "other", "1.0", 0, partition_count=2, backup_count=1))
    for line in Path(sys.argv[1]).read_text().splitlines():
        minutes, seconds, ms, node, what, call, rest = LINE.fullmatch(line).groups()
        at_ms, member = int(minutes) * 60_000 + int(seconds) * 1_000 + int(ms), int(node) - 1
        if what == "started":
            trace.write(MemberRecord("other-1", at_ms, member, MemberChange.JOINED, f"n{node}", f"n{node}"))
            continue
        said = {name: [*map(int, re.findall(r"\d+", text))] for name, text in re.findall(r"(\w+)=(\S+)", rest)}
        for event in events_of(what, int(call or 0), said):
            trace.write(EventRecord("other-1", at_ms, member, event))
    for name in ("backup-never-goes-back", "calls-end-once", "strict-means-copies"):  # what it promises
        trace.write(VerdictRecord("other-1", name, "unknown", "promised", "not judged yet", ()))
