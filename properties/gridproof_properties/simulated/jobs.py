"""Stream jobs: a confirmed one ends, with the right totals.

A run tells what a job was to count when it is submitted, and what it had counted when all was at rest. A submission
that nobody confirmed may be lost with the member it was made at, or with the master before it wrote the record
(reference replication 8.2): it owes nothing. A job that failed says so, and its totals are no totals.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_model.event_details import read_details, read_list
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, ViewRecord
from gridproof_properties.acknowledged import Ledger
from gridproof_properties.judge import Finding, Property
from gridproof_properties.step_judge import Told
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

JOB_ASKED, JOB_SEEN = "job-asked", "job-seen"
COMPLETED = "completed"
AT_LEAST_ONCE = "at least once"
BACKUPS = 1
"""What the maps have that a job goes on from, whatever others have (reference replication 8.1)."""

Totals = Mapping[str, tuple[int, int]]
"""How many items there were of a key, and the sum of their values."""


@dataclass(slots=True)
class _JobJudge:
    """Keeps what was asked for and what was seen."""

    ledger: Ledger = field(default_factory=Ledger)
    asked: Told | None = None
    seen: Told | None = None
    has_crashed: bool = False
    """Whether a member crashed after the job was submitted, and before it was looked at."""
    has_lost: bool = False
    """Whether more members than a job's maps have backups crashed at once before that."""
    _crashes: int = 0
    """Since the latest rest."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        self.ledger.observe(record)
        match record:
            case EventRecord(name=name) if name == JOB_ASKED:
                self.asked = read_details(record.detail)
            case EventRecord(name=name) if name == JOB_SEEN:
                self.seen, self.has_lost = read_details(record.detail), self.has_lost or self.ledger.excused > 0
            case ViewRecord(settled=True):
                self._crashes = 0
            case MemberRecord(change=MemberChange.CRASHED) if self.seen is None and self.asked is not None:
                self.has_crashed = True
                self._crashes += 1
                self.has_lost |= self._crashes > BACKUPS
            case _:
                pass


@dataclass(slots=True)
class _TotalsJudge(_JobJudge):
    def conclude(self) -> Finding:
        """Compare the totals that are there with what was owed."""
        if self.asked is None or self.seen is None or self.seen["status"] != COMPLETED:
            return Finding(Result.UNKNOWN, "no job completed")
        owed, found = _totals(self.asked["owed"]), _totals(self.seen["totals"])
        is_exact = self.asked["guarantee"] != AT_LEAST_ONCE
        wrong = tuple(
            f"{key}: counted are {found[key][0]} items, a sum of {found[key][1]}; owed {owed[key][0]}, {owed[key][1]}"
            for key in sorted(found)
            if _is_wrong(found[key], owed[key], is_exact=is_exact)
        )
        if wrong:
            return Finding(Result.BROKEN, f"a job that counts {self.asked['guarantee']} is wrong: {wrong[0]}", wrong)
        return Finding(Result.HOLDS, f"{count(len(found), 'total')} of a job that counts {self.asked['guarantee']}")


@dataclass(slots=True)
class _EndJudge(_JobJudge):
    def conclude(self) -> Finding:
        """Look whether the job completed and every total is there."""
        if self.asked is None or self.seen is None:
            return Finding(Result.UNKNOWN, "no job was submitted")
        if self.seen["confirmed"] != "true":
            return Finding(Result.UNKNOWN, "nobody confirmed the job")
        if self.has_lost:
            return Finding(Result.UNKNOWN, "more members crashed at once than there were backups")
        if self.has_crashed and self.asked["strict"] != "true":
            return Finding(Result.UNKNOWN, "a member crashed, and a write of the job's may have missed its backup")
        missing = sorted(_totals(self.asked["owed"]).keys() - _totals(self.seen["totals"]).keys())
        status = self.seen["status"]
        if status == COMPLETED and not missing:
            return Finding(Result.HOLDS, "the job completed, with every total")
        story = f"the total of {missing[0]} is missing" if status == COMPLETED else f"it is {status}"
        steps = (f"the job was confirmed, and in the end {story}",)
        return Finding(Result.BROKEN, f"a job that was confirmed did not complete: {story}", steps)


def _totals(told: str) -> Totals:
    """Return totals by key; each is told as key, count and sum, with colons between them."""
    parts = (one.split(":") for one in read_list(told))
    return {key: (int(number), int(total)) for key, number, total in parts}


def _is_wrong(found: tuple[int, int], owed: tuple[int, int], *, is_exact: bool) -> bool:
    return found != owed if is_exact else found[0] < owed[0] or found[1] < owed[1]


PROPERTIES: tuple[Property, ...] = (
    Property(
        "job-totals-right",
        "A completed job that counts exactly once has counted every item once, one at least once no item less.",
        "seed: In-Memory Storage; reference replication 8.3, 11 G22",
        _TotalsJudge,
    ),
    Property(
        "confirmed-job-completes",
        "A job that the master has confirmed completes, whoever crashes, and its totals are there.",
        "seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; reference replication 8.4, 11 G21",
        _EndJudge,
    ),
)
