"""What acknowledgements and syncs are for, step by step.

A strict call that succeeds is on every backup its primary told of it; nothing is synchronised that was equal before.
These judges need every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import read_details, read_list
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

BEGUN, EXECUTED, ENDED = "call-begun", "executed", "call-ended"
ACKNOWLEDGED = "acknowledged"
INSTALLED = "sync-installed"
DISTURBING = frozenset({"backup-applied", "backup-refused", "fragment-installed", "replica-kept", "replica-promoted"})
"""Steps after which a backup may well differ from its primary."""
WATCHED = DISTURBING | {BEGUN, EXECUTED, ENDED, INSTALLED}


@dataclass(slots=True)
class _StrictJudge:
    strict: set[tuple[int | None, str]] = field(default_factory=set)
    """Strict calls under way, by member and number."""
    acks: dict[tuple[str, str], int] = field(default_factory=dict)
    """Sync backups told, by caller and call id."""
    seen: int = 0
    first: str | None = None

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and record.name in (BEGUN, EXECUTED, ENDED):
            told = read_details(record.detail)
            if record.name == EXECUTED:
                self.acks[told["caller"], told["call_id"]] = int(told["acks"])
            elif record.name == BEGUN and told["is_strict"] == "true":
                self.strict.add((record.member, told["invocation"]))
            elif record.name == ENDED and (record.member, told["invocation"]) in self.strict:
                self._end(record, told["how"], told["answered_by"], int(told["confirmed"]))

    def _end(self, event: EventRecord, how: str, call_id: str, confirmed: int) -> None:
        owed = self.acks.get((str(event.member), call_id))
        if how != ACKNOWLEDGED or owed is None:
            return
        self.seen += 1
        if confirmed < 1 + owed and self.first is None:
            self.first = (
                f"at {event.at_ms} ms call {call_id} of member {event.member} succeeds, "
                f"{confirmed} confirm it, and its primary told {count(owed, 'sync backup')}"
            )

    def conclude(self) -> Finding:
        if self.first is not None:
            return Finding(Result.BROKEN, self.first, (self.first,))
        if not self.seen:
            return Finding(Result.UNKNOWN, "no strict call succeeded")
        return Finding(Result.HOLDS, f"{count(self.seen, 'strict call')} on every backup it was owed on")


@dataclass(slots=True)
class _SyncJudge:
    versions: dict[tuple[int | None, str, str], str] = field(default_factory=dict)
    """What a sync brought and nothing has touched since, by member, partition and namespace."""
    seen: int = 0
    first: str | None = None

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and record.name in DISTURBING:
            self._forget(record)
        elif isinstance(record, EventRecord) and record.name == INSTALLED:
            self._install(record)

    def _install(self, event: EventRecord) -> None:
        self.seen += 1
        told = read_details(event.detail)
        place = (event.member, told["partition"], told["namespace"])
        version = read_list(told["versions"])[int(told["index"]) - 1]
        if self.versions.get(place) == version and self.first is None:
            self.first = f"at {event.at_ms} ms member {event.member} gets version {version} of {place[2]} once more"
        self.versions[place] = version

    def _forget(self, event: EventRecord) -> None:
        partition = read_details(event.detail)["partition"]
        for place in [place for place in self.versions if place[:2] == (event.member, partition)]:
            del self.versions[place]

    def conclude(self) -> Finding:
        if self.first is not None:
            return Finding(Result.BROKEN, self.first, (self.first,))
        return Finding(Result.HOLDS, f"{count(self.seen, 'sync')}, none of what was equal already")


STRICT_MEANS_COPIES = Property(
    name="strict-means-copies",
    sentence="A strict call that succeeds is on every sync backup that its primary told of it.",
    source="seed: Throwing an IndeterminateOperationStateException; bug-zoo R4, I2",
    start=_StrictJudge,
)
NO_NEEDLESS_SYNC = Property(
    name="no-needless-sync",
    sentence="A backup that nothing has touched since a sync is not sent the same again.",
    source="reference replication 3.2; bug-zoo R7",
    start=_SyncJudge,
)
PROPERTIES: tuple[Property, ...] = (STRICT_MEANS_COPIES, NO_NEEDLESS_SYNC)
