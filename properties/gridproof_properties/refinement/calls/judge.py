"""What members record of calls is validated by the specification `calls`.

A behaviour is one call, from its beginning until its caller has ended; of calls that have their answer the newest are
kept, as their targets and backups may not have heard of them yet.
"""

from collections.abc import Iterable

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptSent, CallBegun, CallEnded
from gridproof_model.events.membership import JoinTurnedDown
from gridproof_model.events.operation import MadeSync
from gridproof_model.events.partitioning import RowInstalled
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.calls.behaviour import BehaviourOfCalls, OfCall, OfDeparture
from gridproof_properties.refinement.calls.knowledge import KnownOfCalls
from gridproof_properties.refinement.calls.observations import OfTargets, OfTheCaller
from gridproof_properties.refinement.judge import SpecificationJudge
from gridproof_properties.refinement.known import OfLists, OfMigration
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker

Read = OfCall | MadeSync | Configured
OfRows = RowInstalled | OfMigration
ANSWERED_KEPT = 16
"""Calls with an answer that are kept, the newest ones."""
Place = tuple[int, int]
"""A caller and its number of the call, or of an attempt."""


class CallsJudge(SpecificationJudge[Place, BehaviourOfCalls, KnownOfCalls]):
    """Gives each record to the calls that it concerns."""

    NAME = "calls"
    EVENTS_READ = kinds_of(Read)

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        super().__init__(KnownOfCalls(), onlooker)
        self._by_call_id: dict[Place, Place] = {}
        self._answered: dict[Place, None] = {}

    def called(self, place: Place) -> object:
        """Return what a refusal calls a call."""
        return f"call {place[1]} of member {place[0]}"

    def concerned(self, step: Step, event: Read) -> Iterable[Place]:
        """Return the call of an event, those of its partition, those of a caller that departs, or all."""
        if isinstance(event, CallBegun):
            place = step.member, event.invocation
            self.begin(place, lambda: BehaviourOfCalls(step, event, self.known, self.onlooker))
            return (place,)
        if isinstance(event, OfTheCaller):
            place = step.member, event.invocation
            if place not in self.behaviours:
                return ()
            if isinstance(event, AttemptSent):
                self._by_call_id[step.member, event.call_id] = place
            return (place,)
        if isinstance(event, OfTargets):
            attempt = event.caller, event.call_id
            return (self._by_call_id[attempt],) if attempt in self._by_call_id else ()
        if isinstance(event, OfLists):
            return self.behaviours
        if isinstance(event, OfRows):
            return [place for place, call in self.behaviours.items() if call.partition == event.partition]
        if isinstance(event, JoinTurnedDown) and event.joiner != step.member:
            return ()  # The master says whom it has turned down.
        if isinstance(event, OfDeparture):
            return [place for place in self.behaviours if place[0] == step.member]
        return ()

    def take(self, step: Step, event: Event) -> None:
        """Go on with an event; nobody waits for a call any more that has ended."""
        super().take(step, event)
        if isinstance(event, CallEnded) and (step.member, event.invocation) in self.behaviours:
            self._is_over((step.member, event.invocation))

    def ended(self, step: Step) -> None:
        """Somebody does nothing more: nobody waits for the answers to its calls."""
        super().ended(step)
        for place in [place for place in self.behaviours if place[0] == step.member]:
            if place in self.behaviours:
                self._is_over(place)

    def _is_over(self, place: Place) -> None:
        """Keep a call whose caller waits for nothing any more, and forget the oldest of those."""
        self._answered.setdefault(place)
        self.behaviours[place].is_answered = True
        if len(self._answered) > ANSWERED_KEPT:
            oldest = next(iter(self._answered))
            del self._answered[oldest]
            for call_id in self.behaviours[oldest].attempts:
                self._by_call_id.pop((oldest[0], call_id), None)
            self.forget(oldest)


PROPERTY = Property(
    "refines-calls",
    "What caller, targets and backups do with a call is a behaviour of the specification `calls`.",
    "reference replication 1, 2",
    CallsJudge,
)
