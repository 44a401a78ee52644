"""One call: what its caller, its targets and their backups do, from its beginning on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gridproof_model.events.invocation import AttemptSent, CallBegun, CallBegunAnew, CallEnded
from gridproof_model.events.membership import JoinTurnedDown
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import ShutdownEnded
from gridproof_model.language import State
from gridproof_model.specifications.calls.state import Departure, Kind
from gridproof_properties.refinement.behaviour import Behaviour
from gridproof_properties.refinement.calls.knowledge import KnownOfCalls
from gridproof_properties.refinement.calls.observations import OfTargets, OfTheCaller, of_caller, of_target, unrecorded
from gridproof_properties.refinement.calls.worlds import ATTEMPTS_MAX, SizeOfCalls
from gridproof_properties.refinement.known import Learning, OfKnowledge, OfMigration
from gridproof_properties.refinement.observing import always
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import GivenUpError, Observation, Onlooker

OfDeparture = ShutdownEnded | JoinTurnedDown | EntriesCollected
OfCall = CallBegun | OfTheCaller | OfTargets | OfKnowledge | OfMigration | OfDeparture
BLOCKING = ("Lock", "Poll")
"""Operations that may wait at their target."""
LEARNED_LATER = 256
"""What is learned of an answered call before it is caught up with."""


class BehaviourOfCalls(Behaviour[SizeOfCalls]):
    """One call; mutable."""

    def __init__(self, step: Step, event: CallBegun, known: KnownOfCalls, onlooker: Onlooker | None) -> None:
        self.partition = event.partition
        self.attempts: dict[int, int] = {}
        """By call id, which attempt it is here."""
        self.is_answered = False
        self._known = known
        self._to_learn: list[Learning] = []
        """What members have learned since the call was answered."""
        super().__init__(*known.before_call(step, event.partition), onlooker)

    def take(self, step: Step, event: OfCall) -> None:
        """Go on with an event that concerns the call."""
        if isinstance(event, OfKnowledge):
            self._learn(self._known.learned)
        elif isinstance(event, OfTheCaller):
            self._of_caller(step, event)
        elif isinstance(event, OfTargets):
            self._of_target(step, event)
        elif isinstance(event, CallBegun):
            kind = Kind.READ if event.is_read_only else Kind.STRICT_WRITE if event.is_strict else Kind.WRITE
            self.take_all(always(step, "call_begins", kind, event.operation in BLOCKING))
        elif isinstance(event, OfMigration):
            is_migrating = (step.member, self.partition) in self._known.migrating
            self._learn(lambda state: _migrates(step, state, is_migrating=is_migrating))
        elif self.state["departure"] is Departure.NONE:
            action = "caller_merges" if isinstance(event, EntriesCollected) else "caller_shuts_down"
            self.take_all(always(step, action))

    def joined(self, step: Step) -> None:
        """Somebody starts, perhaps where others were before."""
        formers = self._known.formers(step.member)
        self._learn(lambda state: self._joined(step, formers))

    def ended(self, step: Step) -> None:
        """Somebody does nothing more."""
        self._learn(lambda state: (always(step, "member_ends", step.member),))

    def widen(self, size: SizeOfCalls) -> None:
        """Go on in a larger world, in which whoever is new sits on an address of its own."""
        before: tuple[int, ...] = self.state["address"]
        super().widen(size)
        new: tuple[int, ...] = self.validation.runner.start["address"][len(before) :]
        self.validation.states = tuple(state.replaced({"address": before + new}) for state in self.validation.states)

    def _of_caller(self, step: Step, event: OfTheCaller) -> None:
        if isinstance(event, AttemptSent):
            self._make_room()
        number = None
        if not isinstance(event, CallBegunAnew):
            number = self.attempts.get(event.answered_by if isinstance(event, CallEnded) else event.call_id)
        self.validation.postponed = unrecorded(event, number)
        self.validation.take(*of_caller(step, event, number))
        if isinstance(event, AttemptSent):
            self.attempts[event.call_id] = self.state["sent"] - 1

    def _of_target(self, step: Step, event: OfTargets) -> None:
        self._catch_up()
        number = self.attempts[event.call_id]
        asked_to_acknowledge = self._known.sync_of(event) if isinstance(event, Executed) else ()
        self.validation.postponed = unrecorded(event, number)
        self.validation.take(*of_target(step, event, number, asked_to_acknowledge))

    def _learn(self, learning: Learning) -> None:
        """Go on with what somebody has learned; where the call is answered, once it matters."""
        self._to_learn.append(learning)
        if not self.is_answered or len(self._to_learn) > LEARNED_LATER:
            self._catch_up()

    def _catch_up(self) -> None:
        learned, self._to_learn = self._to_learn, []
        for learning in learned:
            self.take_all(*learning(self.state))

    def _joined(self, step: Step, formers: Sequence[int]) -> Iterator[Observation]:
        super().joined(step)
        if formers:
            yield always(step, "member_starts_again", formers[0], step.member)

    def _make_room(self) -> None:
        """Go on in a world with more attempts, where this one has none left."""
        room = self.size.attempts
        if self.state["sent"] == room:
            if room == ATTEMPTS_MAX:
                raise GivenUpError(f"more than {ATTEMPTS_MAX:,} attempts")
            self.widen(replace(self.size, attempts=4 * room))


def _migrates(step: Step, state: State, *, is_migrating: bool) -> Iterator[Observation]:
    """Yield that the partition migrates for a member, or no more; nothing where that is no news."""
    if is_migrating != state["migrating"][step.member]:
        yield always(step, "migration_begins" if is_migrating else "migration_ends", step.member)
