"""What acknowledgements and syncs are for, step by step.

A strict call that succeeds is on every backup its primary told of it; nothing is synchronised that was equal before.
These judges need every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.event_details import read_list
from gridproof_model.trace import EventRecord
from gridproof_properties.causes import Cause
from gridproof_properties.judge import Limit, Property
from gridproof_properties.step_judge import StepJudge, Told
from gridproof_properties.words import count

BEGUN, EXECUTED, ENDED = "call-begun", "executed", "call-ended"
ACKNOWLEDGED = "acknowledged"
INSTALLED = "sync-installed"
DISTURBING = frozenset({"backup-applied", "backup-refused", "fragment-installed", "replica-kept", "replica-promoted"})
"""Steps after which a backup may well differ from its primary."""
WATCHED = DISTURBING | {BEGUN, EXECUTED, ENDED, INSTALLED}


@dataclass(slots=True)
class _StrictJudge(StepJudge):
    strict: set[tuple[int | None, str]] = field(default_factory=set)
    """Strict calls under way, by member and number."""
    acks: dict[tuple[str, str], int] = field(default_factory=dict)
    """Sync backups told, by caller and call id."""

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({BEGUN, EXECUTED, ENDED})

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name == EXECUTED:
            self.acks[told["caller"], told["call_id"]] = int(told["acks"])
        elif event.name == BEGUN and told["is_strict"] == "true":
            self.strict.add((event.member, told["invocation"]))
        elif event.name == ENDED and (event.member, told["invocation"]) in self.strict:
            return self._end(event, told)
        return None

    def _end(self, event: EventRecord, told: Told) -> str | None:
        call_id, confirmed = told["answered_by"], int(told["confirmed"])
        owed = self.acks.get((str(event.member), call_id))
        if told["how"] != ACKNOWLEDGED or owed is None:
            return None
        self.looked += 1
        if confirmed >= 1 + owed:
            return None
        return (
            f"call {call_id} of member {event.member} succeeds, "
            f"{confirmed} confirm it, and its primary told {count(owed, 'sync backup')}"
        )


@dataclass(slots=True)
class _SyncJudge(StepJudge):
    versions: dict[tuple[int | None, str, str], str] = field(default_factory=dict)
    """What a sync brought and nothing has touched since, by member, partition and namespace."""

    @staticmethod
    def watched() -> frozenset[str]:
        return DISTURBING | {INSTALLED}

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name != INSTALLED:
            for place in [place for place in self.versions if place[:2] == (event.member, told["partition"])]:
                del self.versions[place]
            return None
        self.looked += 1
        place = (event.member, told["partition"], told["namespace"])
        version = read_list(told["versions"])[int(told["index"]) - 1]
        before = self.versions.get(place)
        self.versions[place] = version
        return f"member {event.member} gets version {version} of {place[2]} once more" if before == version else None


STRICT_MEANS_COPIES = Property(
    name="strict-means-copies",
    sentence="A strict call that succeeds is on every sync backup that its primary told of it.",
    source="seed: Throwing an IndeterminateOperationStateException; bug-zoo R4, I2",
    start=_StrictJudge,
    limits=(
        Limit(
            Cause.MESSAGE_REPEATED,
            "reference replication 9: a request that came twice is answered by its second execution",
        ),
    ),
)
NO_NEEDLESS_SYNC = Property(
    name="no-needless-sync",
    sentence="A backup that nothing has touched since a sync is not sent the same again.",
    source="reference replication 3.2; bug-zoo R7",
    start=_SyncJudge,
    limits=(
        Limit(
            Cause.MESSAGE_FOR_ANOTHER | Cause.MESSAGE_REPEATED | Cause.MESSAGE_LATE,
            "reference replication 3.2: a backup believes an old summary",
        ),
    ),
)
PROPERTIES: tuple[Property, ...] = (STRICT_MEANS_COPIES, NO_NEEDLESS_SYNC)
