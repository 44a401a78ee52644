"""One call: what its caller, its targets and their backups do, from its beginning on."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gridproof_model.events.invocation import AttemptSent, CallBegun
from gridproof_model.language import State
from gridproof_model.language.run import Runner
from gridproof_model.specifications.calls.state import Kind
from gridproof_properties.refinement.calls.observations import OfTargets, OfTheCaller, of_caller, of_target, unrecorded
from gridproof_properties.refinement.calls.worlds import ATTEMPTS, ATTEMPTS_MAX, MEMBERS, MEMBERS_MAX, runner_of
from gridproof_properties.refinement.known import Known, list_learned, one_action, rounded, row_learned
from gridproof_properties.refinement.step import Slots, Step
from gridproof_properties.validation.engine import GivenUpError, Onlooker, Validation
from gridproof_properties.validation.widening import widened

BLOCKING = ("Lock", "Poll")
"""Operations that may wait at their target."""
LEARNED_LATER = 256
"""What is learned of an answered call before it is caught up with."""
Learning = Callable[["Behaviour"], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """How a run is configured, as far as calls go."""

    backups: int = 1
    """The most that any structure has."""
    retries: int = 250
    serves_stale_reads: bool = True

    def runner(self, members: int, attempts: int) -> Runner:
        """Return a world with room for so many members and attempts."""
        return runner_of(self.backups, members, attempts, serves_stale_reads=self.serves_stale_reads)

    def before_calls(self, known: Known, partition: int) -> State:
        """Return the state of a partition with no call: what members know."""
        members = rounded(known.members, MEMBERS, MEMBERS_MAX)
        everybody, slots = range(members), self.backups + 1
        rows, nothing = known.rows.get(partition, {}), (None,) * slots
        return self.runner(members, ATTEMPTS).start.replaced(
            {
                "budget": self.retries,
                "row": tuple((*rows.get(member, nothing), *nothing)[:slots] for member in everybody),
                "listed": tuple(
                    tuple(map(known.lists.get(member, ()).__contains__, everybody)) for member in everybody
                ),
                "reach": tuple(min(known.reach(member), self.backups) for member in everybody),
                "migrating": tuple((member, partition) in known.migrating for member in everybody),
                "ended": tuple(member in known.ended for member in everybody),
                "address": tuple(min([member, *known.formers(member)]) for member in everybody),
            }
        )


class Behaviour:
    """One call; mutable."""

    has_passed_over = False

    def __init__(self, setup: Setup, partition: int, before: State, onlooker: Onlooker | None) -> None:
        self.partition = partition
        self.attempts: dict[int, int] = {}
        """By call id, which attempt it is here."""
        self.is_answered = False
        self._setup = setup
        self._members, self._room = len(before["row"]), ATTEMPTS
        self._to_learn: list[Learning] = []
        """What members have learned since the call was answered."""
        self.validation = Validation(setup.runner(self._members, ATTEMPTS), (before,), onlooker=onlooker)

    def begins(self, step: Step, event: CallBegun) -> None:
        """The caller calls."""
        kind = Kind.READ if event.is_read_only else Kind.STRICT_WRITE if event.is_strict else Kind.WRITE
        self.validation.take(one_action(step.describe(), "call_begins", kind, event.operation in BLOCKING))

    @property
    def state(self) -> State:
        """One of the states that the call may be in; of what members know, all say the same."""
        return self.validation.states[0]

    def of_caller(self, step: Step, event: OfTheCaller) -> None:
        """Go on with an event of the caller."""
        if isinstance(event, AttemptSent):
            self._make_room()
        call_id = getattr(event, "call_id", getattr(event, "answered_by", 0))
        number = self.attempts.get(call_id)
        self.validation.postponed = unrecorded(event, number)
        self.validation.take(*of_caller(step, event, number))
        if isinstance(event, AttemptSent):
            self.attempts[event.call_id] = self.state["sent"] - 1

    def of_target(self, step: Step, event: OfTargets, asked_to_acknowledge: Collection[int]) -> None:
        """Go on with an event of a target or a backup."""
        self._catch_up()
        number = self.attempts[event.call_id]
        self.validation.postponed = unrecorded(event, number)
        self.validation.take(*of_target(step, event, number, asked_to_acknowledge))

    def learn(self, learning: Learning) -> None:
        """Go on with what somebody has learned; where the call is answered, once it matters."""
        self._to_learn.append(learning)
        if not self.is_answered or len(self._to_learn) > LEARNED_LATER:
            self._catch_up()

    def _catch_up(self) -> None:
        learned, self._to_learn = self._to_learn, []
        for learning in learned:
            learning(self)

    def row_learned(self, text: str, member: int, row: Slots) -> None:
        """A member has a new row."""
        slots = self._setup.backups + 1
        for observation in row_learned(text, member, self.state["row"][member], (*row, *(None,) * slots)[:slots]):
            self.validation.take(observation)

    def list_learned(self, text: str, member: int, members: Collection[int], reach: int) -> None:
        """A member has a new list, by which there can be so many backups."""
        for observation in list_learned(text, member, self.state, members, min(reach, self._setup.backups)):
            self.validation.take(observation)

    def migrates(self, text: str, member: int, *, is_migrating: bool) -> None:
        """The partition migrates for a member, or no more."""
        if is_migrating != self.state["migrating"][member]:
            action = "migration_begins" if is_migrating else "migration_ends"
            self.validation.take(one_action(text, action, member))

    def joined(self, text: str, member: int, formers: Sequence[int]) -> None:
        """Somebody starts, perhaps where others were before."""
        if member >= self._members:
            self._widen(rounded(member + 1, MEMBERS, MEMBERS_MAX), self._room)
        if formers:
            self.validation.take(one_action(text, "member_starts_again", formers[0], member))

    def happens(self, text: str, action: str, *arguments: int) -> None:
        """Go on with one action that nothing else is said of."""
        self.validation.take(one_action(text, action, *arguments))

    def _make_room(self) -> None:
        """Go on in a world with more attempts, where this one has none left."""
        if self.state["sent"] == self._room:
            if self._room == ATTEMPTS_MAX:
                raise GivenUpError(f"more than {ATTEMPTS_MAX:,} attempts")
            self._widen(self._members, 4 * self._room)

    def _widen(self, members: int, attempts: int) -> None:
        before = self.validation.runner.world
        self._members, self._room = members, attempts
        runner = self.validation.runner = self._setup.runner(members, attempts)
        addresses: tuple[int, ...] = runner.start["address"]

        def wider(state: State) -> State:
            found = widened(state, before, runner.world)
            # Whoever is new sits on an address of its own.
            return found.replaced({"address": (*state["address"], *addresses[len(state["address"]) :])})

        self.validation.states = tuple(map(wider, self.validation.states))
