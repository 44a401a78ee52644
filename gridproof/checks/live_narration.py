"""Reports the steps of a live run while they happen, in one line for each step on standard error.

The lines are about members that come and go, faults that begin and end, clients at work, rest, reading and judging. A
run takes a minute or more; without these lines, a log would not show where a run hangs.
"""

import sys
from dataclasses import dataclass

from gridproof_model.events import harness
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.harness import FleetFailed, Remark, Settled, TablesPolled, Unsettled
from gridproof_model.trace import EventRecord, MemberRecord, OperationRecord, Record
from gridproof_model.user_error import printable
from gridproof_properties.judging.work import AT_REST, BUSY, LATER

_PHASES = {BUSY: "clients are at work", AT_REST: "every copy and key is read", LATER: "and is read again"}


@dataclass(slots=True)
class Narration:
    """Reports what the records of one run say."""

    name: str
    """The name of the scenario, after which its files are named."""
    _phase: str = ""

    def observe(self, record: Record) -> None:
        """Read the next record, and print a line if the record is worth a line."""
        match record:
            case MemberRecord():
                self.say(f"member {record.member} {record.change.value}", record.at_ms)
            case EventRecord(event=FaultBegun() as fault):
                self.say(f"{fault.fault} begins: {fault.words}", record.at_ms)
            case EventRecord(event=FaultEnded() as fault):
                end = "has ended" if fault.struck else "struck nobody"
                self.say(f"{fault.fault} {end}: {fault.words}", record.at_ms)
            case EventRecord(event=Settled() as rest):
                self.say(f"{rest.stage}: {rest.how}", record.at_ms)
            case EventRecord(event=Unsettled() as rest):
                self.say(f"{rest.stage}: not at rest: {rest.awaited}", record.at_ms)
            case EventRecord(event=FleetFailed(what=what) | Remark(topic=harness.ENDED, text=what)):
                self.say(what, record.at_ms)
            case EventRecord(event=TablesPolled()):
                self.say("clients have ended, and the wait for the grid is over", record.at_ms)
            case OperationRecord() if record.stage != self._phase:
                self._phase = record.stage
                self.say(_PHASES.get(record.stage, record.stage), record.start_ms)
            case _:
                pass

    def say(self, words: str, at_ms: int | None = None) -> None:
        """Print a line; if `at_ms` is given, the line begins with this time since the run began."""
        moment = "" if at_ms is None else f", {at_ms / 1_000:.1f} s"
        print(f"gridproof: {self.name}{moment}: {printable(words)}", file=sys.stderr, flush=True)
