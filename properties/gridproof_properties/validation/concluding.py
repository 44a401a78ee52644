"""What is concluded by proof of the behaviours that explain a run.

Induction begins somewhere: what is proved of a specification holds in every state that its initial states lead to. The
behaviours of a run begin in states that members had when something was recorded first, and go on in larger worlds when
one becomes too small. So wherever no action led to a state, all that the proof rests on is evaluated there, claims and
lemmas, on plain values. Where one is false nothing is concluded.

A claim with a condition says nothing of states in which that is false. Whether it is so is read at the end of a
behaviour; where it was so to begin with and is not any more, the record is named that took it away.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import count
from typing import Any, NamedTuple, TypeVar

from gridproof_model.language import Claim, ClaimKind, Plain, State, StepError
from gridproof_model.language.evaluate import Expression
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.notation import Notation
from gridproof_model.language.run import Runner
from gridproof_model.language.specification import variables_in
from gridproof_model.language.tree import Node
from gridproof_model.language.world import negated
from gridproof_properties.claims.known import Knowledge, KnownIn, recorded
from gridproof_properties.claims.of_runs import OfRuns, Scope, of_runs
from gridproof_properties.judging.by_proof import ByProof, OfClaim, WhyNot
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.validation.engine import Validation

Found = TypeVar("Found")
KNOWN_MAX = 256
"""Values, states in which behaviours began, and ways in which they went, of which it is remembered what was found."""


def remembered(reads: Collection[int], find: Callable[[Any], Found]) -> Callable[[State], Found]:
    """Return what finds something by values of a state, and remembers what it found of those that it reads."""
    places = sorted(reads)
    found = lru_cache(KNOWN_MAX)(lambda *read: find(dict(zip(places, read, strict=True))))
    return lambda state: found(*[state.values[place] for place in places])


def condition_of(expression: Expression, ground: Grounding) -> tuple[frozenset[int], Callable[[Any], bool]]:
    """Return the positions of what a condition reads, and what says whether it holds of such values.

    Where it means nothing it does not.
    """
    # Made when it is asked for: of most conditions nobody asks in most worlds.
    evaluator = cache(partial(expression.evaluator, ground))

    def is_so(values: Any) -> bool:
        try:
            return bool(evaluator()(values, {}))
        except (StepError, IndexError, TypeError):
            return False

    return expression.reads, is_so


class Base:
    """What can be concluded in one world, and what that rests on."""

    def __init__(self, basis: "Basis", runner: Runner) -> None:
        argument, constants = basis.argument, dict(runner.world.constants)
        self._runner, ground = runner, Grounding(constants)

        def of(node: Node) -> tuple[frozenset[int], Callable[[Any], bool]]:
            return condition_of(basis.expression(node, runner), ground)

        self.claims = of_runs(argument, constants, basis.knowledge)
        premises = {id(node): of(node) for one in self.claims for node in one.conditions}
        self.premises = {key: is_so for key, (_, is_so) in premises.items()}
        """Whether each is so, by the identity of its node."""
        self._known = {id(one.base): one.base for one in self.claims}
        rests = (*argument.specification.claims, *argument.lemmas)
        self._was_so = {one.name: remembered(*of(one.condition)) for one in rests}
        """Whether a claim or lemma is so in a state: proofs rest on them."""
        self.false_at = remembered(frozenset().union(*(reads for reads, _ in premises.values())), self._false_at)
        """Returns the premises that are not so in a state, by their identity."""
        self.beginning = lru_cache(KNOWN_MAX)(lambda state: (self.whys_not((state,)), self.false_at(state)))
        """Returns why nothing is concluded where a behaviour begins, and what is not so: many begin in one state."""

    def whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        """Return of each claim why it is not concluded where a behaviour goes on here from states; empty where it is.

        With no state it is what is known of the world alone.
        """
        whys = {key: next(filter(None, map(partial(self._why_not, of), states)), "") for key, of in self._known.items()}
        rests = (Scope.CONCLUDED, Scope.BUT_FOR_SIZE)
        return tuple(whys[id(one.base)] if one.scope in rests else one.why for one in self.claims)

    def may_begin(self, state: State) -> bool:
        """Whether all that proofs rest on is so in a state."""
        return not any(self._why_not(one, state) for one in self._known.values() if one is not None)

    def _false_at(self, values: Any) -> frozenset[int]:
        return frozenset([key for key, one in self.premises.items() if not one(values)])

    def _why_not(self, known: KnownIn | None, state: State) -> str:
        """Return why induction may not begin in a state; None is known of all that the world's start leads to."""
        if known is None:
            return "it begins in no initial state" if state != self._runner.start else ""
        broken = (name for name in sorted(known.holds) if not self._was_so[name](state))
        return next((f"it begins in a state that breaks what the proof rests on: {name}" for name in broken), "")


@dataclass(frozen=True, eq=False)
class Basis:
    """What is known of a specification, and what follows in each world."""

    argument: Argument
    knowledge: Knowledge
    _worlds: dict[int, Base] = field(default_factory=dict)
    """By the identity of what runs them."""
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """By the identity of a condition: each is written once for all worlds."""
    _read: dict[int, frozenset[str]] = field(default_factory=dict)
    """The variables that a condition is about, likewise."""

    def of(self, runner: Runner) -> Base:
        """Return what can be concluded in a world."""
        if id(runner) not in self._worlds:
            self._worlds[id(runner)] = Base(self, runner)
        return self._worlds[id(runner)]

    def expression(self, node: Node, runner: Runner) -> Expression:
        """Return a condition as it is written for every world."""
        if id(node) not in self._expressions:
            self._expressions[id(node)] = Expression(node, runner.world.names)
        return self._expressions[id(node)]

    def read_by(self, node: Node) -> frozenset[str]:
        """Return the variables that a condition is about."""
        if id(node) not in self._read:
            self._read[id(node)] = frozenset(variables_in(node))
        return self._read[id(node)]


@cache
def recorded_basis(argument: Argument) -> Basis:
    """Return what the ledger has recorded."""
    return Basis(argument, recorded(argument))


class Watch:
    """Notes which record made a premise false that was true where a behaviour began; mutable.

    It looks now and then, before the newest steps are forgotten: a state that nothing is false of shows no record.
    """

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, object] = {}
        """By the identity of the premise, the record that took it away."""
        self.basis, base = basis, basis.of(validation.runner)
        whys, false = base.beginning(validation.states[0])
        self.kept = base.premises.keys() - false
        """The premises that were so at first, and ever since."""
        self.first = base, whys if validation.given else base.whys_not(())
        """The world that it begins in, and why nothing is concluded there: induction may begin in initial states."""

    def __call__(self, validation: Validation) -> None:
        """Look at the state that the behaviour is in, and where it is another, at those that led to it."""
        premises, state = self.basis.of(validation.runner).premises, validation.states[0]
        for lost in [key for key in self.kept if not premises[key](state.values)]:
            self.broken[lost] = validation.text
            for _, text, _, after in reversed(validation.last):
                if premises[lost](after.values):
                    break
                self.broken[lost] = text
            self.kept -= {lost}

    def end(self, validation: Validation) -> None:
        """See the behaviour end."""


class _Concluded(NamedTuple):
    """What is concluded of one claim of a behaviour."""

    why: str
    """Why it is not concluded, be it of another size; empty where it is."""
    taken_away: int | None
    """The premise that a record made false, where that is why."""
    size: str
    """What size it is proved for, where that is another one and nothing else is wrong."""
    is_tested: bool
    """Whether its condition is so at the end."""
    is_of_the_run: bool


class _Ended(NamedTuple):
    """How a behaviour went, as far as what is concluded depends on it."""

    worlds: tuple[tuple[Base, tuple[str, ...]], ...]
    """Those that it lies in, the last one at last; and why nothing is concluded there, of each claim."""
    false: frozenset[int]
    """The premises that are not so at its end, by their identity."""
    broken: frozenset[int]
    """Those of them that some record made false."""
    shown: frozenset[str]
    """The variables that all of its records have stated whole."""


@lru_cache(KNOWN_MAX)
def _concluded(basis: Basis, ended: _Ended) -> tuple[_Concluded, ...]:
    """Return what is concluded of each claim of a behaviour that went so."""

    def of_claim(number: int, *found: OfRuns) -> _Concluded:
        premise = next((one for one in found[-1].conditions if id(one) in ended.false), None)
        why, taken_away = next(filter(None, (whys[number] for _, whys in ended.worlds)), ""), None
        if premise is not None and not why and id(premise) in ended.broken:
            why, taken_away = f"`{Notation().text(negated(premise))}` is so", id(premise)
        size = "" if why else next((one.why for one in found if one.scope is Scope.BUT_FOR_SIZE), "")
        is_tested = premise is None and not found[-1].is_empty
        return _Concluded(why, taken_away, size, is_tested, basis.read_by(found[0].claim.condition) <= ended.shown)

    return tuple(map(of_claim, count(), *(base.claims for base, _ in ended.worlds)))


class Concluding:
    """Counts what is concluded of the behaviours of one specification; mutable."""

    watch: type[Watch] = Watch
    """What each behaviour is watched with; who counts of every state has one that looks at more."""

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self.given_up = 0
        """Behaviours of which nothing can be said from some record on; whoever gives one up counts it."""
        self._ended = Counter[_Ended]()
        """How many behaviours went how."""
        self._first: dict[str, str] = {}
        """By why something is not concluded: which record was the first to make it so, and of what."""

    def begin(self, validation: Validation, otherwise: Mapping[str, Plain] | None = None) -> None:
        """Watch a behaviour from its beginning on, with other history where what a proof rests on is not so then."""
        if otherwise and not self._basis.of(validation.runner).may_begin(validation.states[0]):
            validation.states = tuple(state.replaced(otherwise) for state in validation.states)
            validation.given = ((validation.runner, validation.states),)
        validation.watch = self.watch(self._basis, validation)

    def end(self, called: Callable[[], str], validation: Validation) -> None:
        """Count a behaviour that was explained to its end; `called` says what it is about."""
        watch = validation.watch
        assert isinstance(watch, Watch)
        watch.end(validation)
        later = ((self._basis.of(runner), states) for runner, states in validation.given[1:])
        worlds = watch.first, *((base, base.whys_not(states)) for base, states in later)
        base = worlds[-1][0]
        false, *others = map(base.false_at, validation.states)
        broken = (watch.kept & false).union(watch.broken)
        false = false.union(*others)
        ended = _Ended(worlds, false, false & broken, validation.shown)
        if ended not in self._ended:
            watch(validation)  # which record it was is said of the first
            of = f", of {called()}" if called() else ""
            taken_away = {one.why: one.taken_away for one in _concluded(self._basis, ended) if one.taken_away}
            self._first = {why: f"first by {watch.broken[key]}{of}" for why, key in taken_away.items()} | self._first
        self._ended[ended] += 1

    def conclude(self) -> ByProof:
        """Return what is concluded of all of them."""
        counted = [(_concluded(self._basis, ended), times) for ended, times in self._ended.items()]
        specification = self._basis.argument.specification
        claims = enumerate(one for one in specification.claims if one.kind is ClaimKind.ALWAYS)
        found = tuple(self._of_claim(of, [(all_of[at], times) for all_of, times in counted]) for at, of in claims)
        return ByProof(specification.name, self._ended.total(), self.given_up, found)

    def _of_claim(self, claim: Claim, counted: list[tuple[_Concluded, int]]) -> OfClaim:
        sure = [(one, times) for one, times in counted if not one.why and not one.size]
        whys = Counter[str]()
        for one, times in counted:
            whys[one.why] += times
        return OfClaim(
            claim.name,
            claim.sentence,
            sum(times for _, times in sure),
            sum(times for one, times in sure if one.is_tested),
            sum(times for one, times in counted if one.size),
            next((one.size for one, _ in counted if one.size), ""),
            tuple(WhyNot(why, times, self._first.get(why, "")) for why, times in whys.items() if why),
            bool(sure) and all(one.is_of_the_run for one, _ in sure),
            sum(times for one, times in counted if one.is_tested),
        )
