"""One step of the protocol, told by its note."""

from collections.abc import Mapping
from dataclasses import dataclass

from gridproof_model.event_details import NONE, read_details, read_list
from gridproof_model.trace import EventRecord

Slots = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A note: who did what, when, with which details."""

    name: str
    at_ms: int
    member: int
    details: Mapping[str, str]

    @staticmethod
    def of(record: EventRecord) -> "Step":
        """Return what a record of a member tells."""
        member = -1 if record.member is None else record.member
        return Step(record.name, record.at_ms, member, read_details(record.detail))

    def text(self, name: str) -> str:
        """Return a detail as it stands."""
        return self.details[name]

    def number(self, name: str) -> int:
        """Return a number, or a member by its number; -1 for nobody and for somebody the run never showed."""
        value = self.details[name]
        return int(value) if value.lstrip("-").isdecimal() else -1

    def is_so(self, name: str) -> bool:
        """Return a truth value."""
        return self.details[name] == "true"

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return a list of numbers."""
        return tuple(int(value) if value.lstrip("-").isdecimal() else -1 for value in read_list(self.details[name]))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return read_list(self.details[name])

    def slots(self, name: str) -> Slots:
        """Return a row: a member or nobody for each slot."""
        return tuple(None if value == NONE else int(value) for value in read_list(self.details[name]))

    def versions_by_namespace(self, name: str) -> Mapping[str, int]:
        """Return pairs of a namespace and a version."""
        pairs = (pair.strip("[]").rsplit(",", 1) for pair in self.details[name].split("],["))
        return {parts[0]: int(parts[1]) for parts in pairs if len(parts) == 2}

    def told(self) -> str:
        """Return the step in a few words."""
        return f"{self.name} of member {self.member} at {self.at_ms} ms"

    def __str__(self) -> str:
        details = " ".join(f"{name}={value}" for name, value in self.details.items())
        return f"the note: {self.name} of member {self.member} at {self.at_ms} ms, {details}"
