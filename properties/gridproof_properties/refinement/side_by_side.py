"""Behaviours of one run that are validated side by side: one a partition, one a namespace of it.

A behaviour that is refused, or given up, goes no further; the others do.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.validation.engine import GivenUpError, RefusedError, Validation


class Validated(Protocol):
    """One behaviour under way."""

    validation: Validation

    @property
    def has_passed_over(self) -> bool:
        """Whether something was left out that may explain a refusal."""
        ...


Place = TypeVar("Place")
B = TypeVar("B", bound=Validated)


@dataclass(slots=True)
class SideBySide(Generic[Place, B]):
    """The behaviours of a run, by what each is about."""

    specification: str
    too_much: str
    """Why one is given up that is refused after something was left out."""
    call: Callable[[Place], object] = lambda place: place
    """What a refusal calls a place."""
    behaviours: dict[Place, B] = field(default_factory=dict)
    followed: Followed = field(init=False)
    _over: set[Place] = field(default_factory=set)
    """Those that are refused, or given up."""
    _given_up: str = ""
    """Why one is not validated to its end."""

    def __post_init__(self) -> None:
        self.followed = Followed(self.specification)

    def let_all(self, take: Callable[[B], None]) -> None:
        """Let each behaviour go on."""
        for place in self.behaviours:
            self.let(place, take)

    def let(self, place: Place, take: Callable[[B], None]) -> None:
        """Let one behaviour go on, unless it is over."""
        if place in self._over:
            return
        behaviour = self.behaviours[place]
        try:
            take(behaviour)
        except RefusedError as refused:
            if behaviour.has_passed_over:
                self.give_up(place, self.too_much)
            else:
                self._over.add(place)
                self.followed.refused.append((self.call(place), refused))
        except GivenUpError as given_up:
            self.give_up(place, str(given_up))

    def give_up(self, place: Place, why: str) -> None:
        """Validate one behaviour no further."""
        self._over.add(place)
        self._given_up = why

    def forget(self, place: Place) -> None:
        """Count one behaviour of which nothing more is awaited, and keep it no longer."""
        self.followed.behaviours += 1
        self.followed.steps += self.behaviours.pop(place).validation.steps
        self._over.discard(place)

    def conclude(self) -> Finding:
        """Say how far the run is a behaviour of the specification, or which event was refused."""
        for place in list(self.behaviours):
            self.forget(place)
        if self._given_up and not self.followed.refused:
            return Finding(Result.UNKNOWN, f"not validated to the end: {self._given_up}")
        return self.followed.finding()
