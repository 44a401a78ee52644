"""Grids whose answers say what is not so."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from gridproof_implementation.adapter import ReadAnswer, WriteAnswer
from gridproof_model.membership import Member, MemberId
from gridproof_model.trace import Outcome
from tests.properties.honest_grid import HonestGrid


class RefusesNineWritesOfTen(HonestGrid):
    """Nine of ten writes are refused."""

    calls = 0

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.calls += 1
        if self.calls % 10:
            return WriteAnswer(Outcome.REFUSED, detail="too busy", member=through.id)
        return super().write_through(through, key, value)


class RefusesWritesAfterACrash(HonestGrid):
    """Once a member has crashed every write is refused."""

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        if self.crashed:
            self.pass_time(1)
            return WriteAnswer(Outcome.REFUSED, detail="read-only since the failure", member=through.id)
        return super().write_through(through, key, value)


class IsSlowToRecover(HonestGrid):
    """For a minute after a crash nothing is accepted, and the grid waits that long for rest."""

    until_ms = 0

    def crash(self, member: Member) -> None:
        super().crash(member)
        self.until_ms = self.now_ms + 60_000

    def why_unsettled(self) -> str | None:
        return "recovering" if self.now_ms < self.until_ms else super().why_unsettled()

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        if self.now_ms < self.until_ms:
            return WriteAnswer(Outcome.REFUSED, detail="recovering", member=through.id)
        return super().write_through(through, key, value)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        if self.now_ms < self.until_ms:
            return ReadAnswer(Outcome.REFUSED, detail="recovering")
        return super().read(key, through=through)


class NeverAnswersReads(HonestGrid):
    """Every read ends without an answer."""

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        return ReadAnswer(Outcome.UNKNOWN, detail="timed out")


class AcknowledgesNothing(HonestGrid):
    """Every write is acknowledged, and none is made."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        pass


class KeepsTheBeginningOfValues(HonestGrid):
    """It keeps 1,024 characters of a value."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        super().put(holder, partition, key, value[:1024])


class ChangesKeys(HonestGrid):
    """It changes keys, so that some keys become one; a subclass says how."""

    def changed(self, key: str) -> str:
        raise NotImplementedError

    def partition_of(self, key: str) -> int:
        return super().partition_of(self.changed(key))

    def write(self, key: str, value: str) -> WriteAnswer:
        return super().write(self.changed(key), value)

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        return super().write_many({self.changed(key): value for key, value in entries.items()})

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        return super().read(self.changed(key), through=through)


class FoldsCase(ChangesKeys):
    """It takes capital letters for small ones."""

    def changed(self, key: str) -> str:
        return key.lower()


class StripsKeys(ChangesKeys):
    """It leaves out blanks at the ends of a key."""

    def changed(self, key: str) -> str:
        return key.strip() or key


class ComposesKeys(ChangesKeys):
    """It writes an accent in one way."""

    def changed(self, key: str) -> str:
        return unicodedata.normalize("NFC", key)


class KeepsTheBeginningOfKeys(ChangesKeys):
    """It keeps 100 characters of a key."""

    def changed(self, key: str) -> str:
        return key[:100]


class StripsValues(HonestGrid):
    """It leaves out blanks at the ends of a value."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        super().put(holder, partition, key, value.strip())


class KeepsAsciiOfValues(HonestGrid):
    """It puts a question mark in place of what is not ASCII."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        super().put(holder, partition, key, value.encode("ascii", "replace").decode())


class ManyWritesNothing(HonestGrid):
    """A call of several entries is acknowledged, and writes none."""

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        return WriteAnswer(Outcome.OK)


class ManyForgetsTheLast(HonestGrid):
    """A call of several entries writes all but the last."""

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        return super().write_many(dict(list(entries.items())[:-1]))


class AcknowledgesEarly(HonestGrid):
    """A write is acknowledged with all its copies once the primary has it, and backups never get it."""

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.owner = self.tables[through.id][self.partition_of(key)].slots[0]
        return super().write_through(through, key, value)

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        if holder == self.owner:
            super().put(holder, partition, key, value)


class ClaimsMoreCopies(HonestGrid):
    """An acknowledgement claims one copy more than there is."""

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        answer = super().write_through(through, key, value)
        return replace(answer, confirmed_copies=(answer.confirmed_copies or 0) + 1)


class ClaimsOneCopy(HonestGrid):
    """An acknowledgement vouches for the primary only, in the calmest grid."""

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        return replace(super().write_through(through, key, value), confirmed_copies=1)


class LeavesWritesOpen(HonestGrid):
    """Every fifth write that is on all its copies is said to have an unknown outcome."""

    calls = 0

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.calls += 1
        answer = super().write_through(through, key, value)
        return answer if self.calls % 5 else replace(answer, outcome=Outcome.UNKNOWN, detail="no acknowledgement")


class RefusesAndWrites(HonestGrid):
    """Every fifth write is said to be refused, and made all the same."""

    calls = 0

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.calls += 1
        answer = super().write_through(through, key, value)
        return answer if self.calls % 5 else replace(answer, outcome=Outcome.REFUSED, detail="no")


class ReadsTheFirstValue(HonestGrid):
    """A read returns the first value the key ever had."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.first: dict[str, str] = {}

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        self.first.setdefault(key, value)
        super().put(holder, partition, key, value)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        return replace(super().read(key, through=through), value=self.first.get(key))


class InventsValues(HonestGrid):
    """Every fifth read returns what nobody wrote."""

    calls = 0

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        self.calls += 1
        answer = super().read(key, through=through)
        return answer if self.calls % 5 else replace(answer, value=f"{answer.value}?")


class ReadsBackwards(ReadsTheFirstValue):
    """Every second read returns the first value the key ever had."""

    calls = 0

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        self.calls += 1
        return super().read(key, through=through) if self.calls % 2 else HonestGrid.read(self, key, through=through)


class ReadsFromBackups(HonestGrid):
    """A read is answered by whoever holds the last copy, equal or not."""

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        answer = super().read(key, through=through)
        return replace(answer, executed_by=self.rows[self.partition_of(key)][-1])
