"""Grids whose copies are not what they say."""

from collections.abc import Sequence
from dataclasses import replace

from gridproof_implementation.adapter import ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_model.membership import Member, MemberId
from tests.properties.honest_grid import HonestGrid, Row


class DropsOneCopy(HonestGrid):
    """Backups lose what they hold when a member joins."""

    def hand_over(self, partition: int, old: Row, new: Row) -> None:
        super().hand_over(partition, old, new)
        for member in new[1:]:
            self.held[member][partition] = {}


class DropsAllCopies(HonestGrid):
    """Every copy of a partition is lost when it moves."""

    def hand_over(self, partition: int, old: Row, new: Row) -> None:
        super().hand_over(partition, old, new)
        for member in new:
            if member in self.held:
                self.held[member][partition] = {}


class KeepsOldCopies(HonestGrid):
    """Who loses a partition keeps what it held of it."""

    def hand_over(self, partition: int, old: Row, new: Row) -> None:
        kept = {member: dict(self.held[member].get(partition, {})) for member in old if member in self.held}
        super().hand_over(partition, old, new)
        for member, content in kept.items():
            self.held[member].setdefault(partition, content)


class ResurrectsOnCrash(HonestGrid):
    """A crash brings the first value of every key back, on every copy."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.first: dict[str, str] = {}

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        super().put(holder, partition, key, self.first.setdefault(key, value) and value)

    def repair(self) -> None:
        super().repair()
        for copies in self.held.values():
            for content in copies.values():
                content.update({key: self.first[key] for key in content})


class GarblesBackupsOnCrash(HonestGrid):
    """The backups of a partition are garbled once its primary has ended."""

    def repair(self) -> None:
        ended = {member.id for member in self.crashed}
        before = [bool(ended.intersection(row[:1])) for row in self.rows]
        super().repair()
        for partition, row in enumerate(self.rows):
            for member in row[1:] if before[partition] else ():
                self.held[member][partition] = dict.fromkeys(self.held[member].get(partition, {}), "garbled")


class ForgetsOnCrash(HonestGrid):
    """One entry disappears from every copy when a member crashes."""

    def repair(self) -> None:
        super().repair()
        keys = {key for copies in self.held.values() for content in copies.values() for key in content}
        for content in (content for copies in self.held.values() for content in copies.values()):
            content.pop(max(keys, key=lambda key: (key.startswith("key-"), key), default=""), None)


class EntriesAppear(HonestGrid):
    """While nothing happens a partition gets an entry nobody wrote, on every copy."""

    def wait(self, duration_ms: int) -> None:
        super().wait(duration_ms)
        if duration_ms >= 1_000:
            for member in self.rows[0]:
                self.put(member, 0, "from nowhere", "x")


class WritesASecondEntry(HonestGrid):
    """Every write of one key writes another key, too."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        super().put(holder, partition, key, value)
        super().put(holder, partition, f"{key}-shadow", value)


class EntriesVanish(HonestGrid):
    """While nothing happens the entries of a partition disappear from every copy."""

    def wait(self, duration_ms: int) -> None:
        super().wait(duration_ms)
        if duration_ms >= 1_000:
            busiest = max(range(self.partition_count), key=lambda p: len(self.held[self.rows[p][0]].get(p, {})))
            for member in self.rows[busiest]:
                self.held[member][busiest] = {}


class SwapsRoles(HonestGrid):
    """Each copy says the role of the other."""

    def role_of(self, member: MemberId, slots: Sequence[MemberId | None]) -> str:
        return super().role_of(member, tuple(reversed(slots)))


class ShowsOneContent(HonestGrid):
    """Whatever copy is looked at, the same content is shown."""

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        held = super().read_replica(member, partition)
        return held if held is None else replace(held, entries={"a": "b"})


class HoldsNothing(HonestGrid):
    """Whatever copy is looked at, it is said to be empty."""

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        held = super().read_replica(member, partition)
        return held if held is None else replace(held, entries={})


class RoutesNextDoor(HonestGrid):
    """Every key is on the partition after its own, everywhere alike."""

    def partition_of(self, key: str) -> int:
        return (super().partition_of(key) + 1) % self.partition_count


class HashesOtherwise(HonestGrid):
    """Keys are routed by another hash than the documented one, everywhere alike."""

    def partition_of(self, key: str) -> int:
        return sum(key.encode()) % self.partition_count


class HashesCharacters(HonestGrid):
    """Keys are hashed as Latin-1, where other characters are question marks: most keys are right."""

    def partition_of(self, key: str) -> int:
        return super().partition_of(key.encode("latin-1", "replace").decode("latin-1"))


class NamesAnotherPartition(HonestGrid):
    """The adapter names another partition than the one the members use."""

    inside = False

    def partition_of(self, key: str) -> int:
        return (super().partition_of(key) + (0 if self.inside else 1)) % self.partition_count

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.inside = True
        try:
            return super().write_through(through, key, value)
        finally:
            self.inside = False

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        self.inside = True
        try:
            return super().read(key, through=through)
        finally:
            self.inside = False


class CrashKillsNobody(HonestGrid):
    """A member that is to be killed is only taken off the list; the grid goes on with it."""

    def crash(self, member: Member) -> None:
        self.running.remove(member)
        self.crashed.append(member)
