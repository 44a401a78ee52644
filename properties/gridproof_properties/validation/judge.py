"""One judge for all specifications: it gives each record to the behaviours that it concerns.

A specification brings what it reads of a run, what members know, which behaviours an event concerns, and the behaviours
themselves. They are validated side by side: one that is refused, or given up, goes no further; the others do. What
members know is known to the judge: each behaviour reads of it what it is about.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.conditions import Condition
from gridproof_model.events.harness import HarnessEvent
from gridproof_model.groups import uncut
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.claims.known import argument_of
from gridproof_properties.judging.judge import Finding, Judge, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_properties.validation.behaviour import MEMBERS_AT_A_TIME, NOBODY, Behaviour, Step
from gridproof_properties.validation.concluding import Concluding, recorded_basis
from gridproof_properties.validation.engine import GivenUpError, Onlooker, RefusedError

OF_NOBODY = kinds_of(Condition | HarnessEvent)
"""What a harness records, and no member."""
Place = TypeVar("Place")
"""What a behaviour is about."""
B = TypeVar("B", bound=Behaviour[Any])


class SpecificationJudge(Judge, Generic[Place, B]):
    """Validates a run by one specification, and knows who came to it, in which group, and who ended; mutable."""

    READS = frozenset({RunRecord, MemberRecord})
    COUNTS = False
    IS_PATIENT = True
    NAME: ClassVar[str]
    """Of the specification."""
    LEARNED_FROM: ClassVar[frozenset[type[Event]]] = frozenset()
    """The types of the events by which somebody knows more."""
    CALLED: ClassVar[str]
    """What a refusal calls a place."""

    onlooker: Onlooker | None = None
    """Shown every step of every behaviour."""

    def __init__(self) -> None:
        Judge.__init__(self)
        self.count = 0
        """How many members have been."""
        self.gone: list[int] = []
        """Those that ended, in order."""
        self.groups: dict[int, int] = {}
        """The partition group of each member, by the first that was in it."""
        self.group_names: dict[int, str] = {}
        """The same, as recorded: of a group that is cut in two, the half."""
        self.lite: set[int] = set()
        """Who owns nothing yet."""
        self._first_of: dict[str, int] = {}
        """By a group's name."""
        self.behaviours: dict[Place, B] = {}
        self.refused: list[tuple[object, RefusedError, float]] = []
        """Whose behaviour, why, and when."""
        self._step: Step
        """What is being taken, who did that, and when."""
        self._over: set[Place] = set()
        """Those that are refused, or given up."""
        self._given_up = ""
        """Why one is not validated to its end."""
        self._has_strangers = False
        self._concluding: Concluding | None = None
        """What follows for the behaviours, once there is one."""
        self._behaviours = self._steps = 0
        """Those that are forgotten."""

    def shown_to(self, onlooker: Onlooker) -> Self:
        """Return this judge, which shows every step to somebody from now on."""
        self.onlooker = onlooker
        return self

    def observe(self, record: Record) -> None:
        """Go on with the next record."""
        if isinstance(record, EventRecord):
            event, kind = record.event, type(record.event)
            if kind in self.WATCHED and (record.member is not None or kind in OF_NOBODY):
                self._step = step = Step(record, NOBODY if record.member is None else record.member)
                if (step.member < self.count and not self._has_strangers) or self._is_known(step):
                    if kind in self.LEARNED_FROM:
                        self.learn(step, event)
                    self.let(self.concerned(step, event), lambda behaviour: behaviour.take(step, event))
        elif isinstance(record, MemberRecord):
            self._step = step = Step(record, record.member)
            is_news = self.member_changed(record)
            if record.change is MemberChange.JOINED:
                self.let(self.behaviours, lambda behaviour: behaviour.joined(step))
            elif is_news:
                self.ended(step)
        elif isinstance(record, RunRecord):
            self.run_begun(record)

    def _is_known(self, step: Step) -> bool:
        """Whether everybody who has acted so far is recorded to have started: nothing more is taken otherwise."""
        # A stranger has no place in the worlds of the behaviours; those of a log without members have a few.
        if step.member >= (self.count or MEMBERS_AT_A_TIME) and not self._has_strangers:
            self._has_strangers = True
            self._given_up = f"{step}, and nobody recorded that it started"
        return not self._has_strangers

    def conclude(self) -> Finding:
        """Say how far the run is a behaviour of the specification, or which event was refused."""
        for place in list(self.behaviours):
            self.forget(place)
        if self.refused:
            # Shown is the first that nothing which the system admits takes away, where there is one.
            own = (one for one in self.refused if not self.comparisons.is_admitted(one[2], one[2]))
            whose, first, at_ms = next(own, self.refused[0])
            story = first.explanation
            self.comparisons.note_failures([(at_ms, at_ms)], lambda _: story)
            sentence = f"the specification {self.NAME} does not allow what was recorded of {whose}: {first.sentence}"
            shown = first.refusal_of(str(whose))
            return Finding(Result.BROKEN, sentence, story, self._steps, refusal=shown)
        follows = None if self._concluding is None or self._has_strangers else self._concluding.conclude()
        if self._given_up:
            return Finding(Result.UNKNOWN, f"not validated to the end: {self._given_up}", by_proof=follows)
        if self._steps == 0:
            return Finding(Result.UNKNOWN, f"nothing happened that {self.NAME} speaks of")
        sentence = f"{count(self._behaviours, 'behaviour')} of {self.NAME}, {count(self._steps, 'step')}"
        return Finding(Result.HOLDS, sentence, compared=self._steps, by_proof=follows)

    def run_begun(self, record: RunRecord) -> None:
        """Take in how the run is configured."""

    def member_changed(self, record: MemberRecord) -> bool:
        """Take in that a member came, in which group and whether it is lite, or went; return whether that is news."""
        if record.change is MemberChange.JOINED:
            self.count = max(self.count, record.member + 1)
            self.group_names[record.member] = record.group
            name = uncut(record.group) or f"member {record.member}"
            self.groups[record.member] = self._first_of.setdefault(name, record.member)
            if record.lite:
                self.lite.add(record.member)
        elif record.member in self.gone:
            return False
        else:
            self.gone.append(record.member)
        return True

    def learn(self, step: Step, event: Any) -> None:
        """Take in what somebody knows by an event, before the behaviours that it concerns go on with it."""

    def concerned(self, step: Step, event: Any) -> Iterable[Place]:
        """Return what an event is about; with the first event about it a behaviour begins."""
        raise NotImplementedError

    def ended(self, step: Step) -> None:
        """Somebody does nothing more."""
        self.let(self.behaviours, lambda behaviour: behaviour.ended(step))

    def begin(self, place: Place, start: Callable[[], B]) -> None:
        """Begin a behaviour, unless it would be too large."""
        try:
            behaviour = self.behaviours[place] = start()
        except GivenUpError as given_up:
            self.give_up(place, str(given_up))
            return
        if self._concluding is None:
            self._concluding = Concluding(recorded_basis(argument_of(behaviour.size.SPECIFICATION)))
        behaviour.validation.onlooker = self.onlooker
        self._concluding.begin(behaviour.validation)

    def let(self, places: Iterable[Place], go_on: Callable[[B], None]) -> None:
        """Let some behaviours go on, unless they are over."""
        step = self._step
        for place in places:
            if self._over and place in self._over:
                continue
            behaviour = self.behaviours.get(place)
            if behaviour is None:
                self.give_up(place, f"something of {self.CALLED.format(place)} is recorded before its beginning")
                continue
            validation = behaviour.validation
            validation.recorded, validation.text = step.record, step
            try:
                go_on(behaviour)
            except RefusedError as refused:
                if behaviour.passed_over:
                    self.give_up(place, behaviour.passed_over)
                else:
                    self._over.add(place)
                    self.refused.append((self.CALLED.format(place), refused, step.record.at_ms))
            except GivenUpError as given_up:
                self.give_up(place, str(given_up))

    def give_up(self, place: Place, why: str) -> None:
        """Validate one behaviour no further."""
        self._over.add(place)
        self._given_up = why
        if self._concluding is not None:
            self._concluding.give_up()

    def forget(self, place: Place) -> None:
        """Count one behaviour of which nothing more is awaited, and keep it no longer."""
        self._behaviours += 1
        validation = self.behaviours.pop(place).validation
        self._steps += validation.steps
        if self._concluding is not None and place not in self._over:
            self._concluding.end(partial(self.CALLED.format, place), validation)
        self._over.discard(place)


def refines(judge: type[SpecificationJudge[Any, Any]], what: str, source: str) -> Property:
    """Return the property that something of a run is a behaviour of the specification of a judge."""
    sentence = f"{what} is a behaviour of the specification `{judge.NAME}`."
    return Property(f"refines-{judge.NAME}", sentence, source, Severity.PROTOCOL, judge)
