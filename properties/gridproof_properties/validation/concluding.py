"""What is concluded by proof about the behaviours that explain a run.

Induction needs a beginning: what is proved of a specification holds in every state that its initial states lead to. The
behaviours of a run begin in the states that members had when the first event was recorded, and go on in larger worlds
when one becomes too small. So in every state that no action led to, all that the proof rests on, claims and lemmas, is
evaluated on plain values. If one of them is false there, nothing is concluded.

A claim with a condition says nothing about states in which the condition is false. Whether the condition is true is
read at the end of a behaviour; if it was true at the beginning and is not any more, the record that made it false is
named.
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
"""How many results each cache keeps: for values, for first states of behaviours, and for the ways in which these
ended."""


def remembered(reads: Collection[int], find: Callable[[Any], Found]) -> Callable[[State], Found]:
    """Return a function of a state that calls `find` with the values at positions `reads`, and caches its results."""
    places = sorted(reads)
    found = lru_cache(KNOWN_MAX)(lambda *read: find(dict(zip(places, read, strict=True))))
    return lambda state: found(*[state.values[place] for place in places])


def condition_of(expression: Expression, ground: Grounding) -> tuple[frozenset[int], Callable[[Any], bool]]:
    """Return the positions of the variables that a condition reads, and a function that says whether it holds for
    values.

    A condition that has no value counts as false.
    """
    # Made on demand: in most worlds most conditions are never evaluated.
    evaluator = cache(partial(expression.evaluator, ground))

    def is_so(values: Any) -> bool:
        try:
            return bool(evaluator()(values, {}))
        except (StepError, IndexError, TypeError):
            return False

    return expression.reads, is_so


class Base:
    """What can be concluded in one world, and the premises for it."""

    def __init__(self, basis: "Basis", runner: Runner) -> None:
        argument, constants = basis.argument, dict(runner.world.constants)
        self._runner, ground = runner, Grounding(constants)

        def of(node: Node) -> tuple[frozenset[int], Callable[[Any], bool]]:
            return condition_of(basis.expression(node, runner), ground)

        self.claims = of_runs(argument, constants, basis.knowledge)
        premises = {id(node): of(node) for one in self.claims for node in one.conditions}
        self.premises = {key: is_so for key, (_, is_so) in premises.items()}
        """By the identity of a premise's node, the function that says whether it is true."""
        self._known = {id(one.base): one.base for one in self.claims}
        rests = (*argument.specification.claims, *argument.lemmas)
        self._was_so = {one.name: remembered(*of(one.condition)) for one in rests}
        """By name, whether a claim or lemma, on which proofs rest, is true in a state."""
        self.false_at = remembered(frozenset().union(*(reads for reads, _ in premises.values())), self._false_at)
        """Returns the premises that are false in a state, by their identity."""
        self.beginning = lru_cache(KNOWN_MAX)(lambda state: (self.whys_not((state,)), self.false_at(state)))
        """For a first state, which many behaviours share: why nothing is concluded, and which premises are false."""

    def whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        """Return, per claim, why it is not concluded if a behaviour goes on here from states; empty if it is.

        With no state, only what is known about the world decides.
        """
        whys = {key: next(filter(None, map(partial(self._why_not, of), states)), "") for key, of in self._known.items()}
        rests = (Scope.CONCLUDED, Scope.BUT_FOR_SIZE)
        return tuple(whys[id(one.base)] if one.scope in rests else one.why for one in self.claims)

    def may_begin(self, state: State) -> bool:
        """Whether all that proofs rest on is true in a state."""
        return not any(self._why_not(one, state) for one in self._known.values() if one is not None)

    def _false_at(self, values: Any) -> frozenset[int]:
        return frozenset([key for key, one in self.premises.items() if not one(values)])

    def _why_not(self, known: KnownIn | None, state: State) -> str:
        """Return why induction may not begin in a state; `known` is None if the claims hold only from the world's
        initial state on."""
        if known is None:
            return "it begins in no initial state" if state != self._runner.start else ""
        broken = (name for name in sorted(known.holds) if not self._was_so[name](state))
        return next((f"it begins in a state that breaks what the proof rests on: {name}" for name in broken), "")


@dataclass(frozen=True, eq=False)
class Basis:
    """What is known about a specification, and what follows in each world."""

    argument: Argument
    knowledge: Knowledge
    _worlds: dict[int, Base] = field(default_factory=dict)
    """The worlds by the identity of their runners."""
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """The expressions by the identity of their condition: each is written once for all worlds."""
    _read: dict[int, frozenset[str]] = field(default_factory=dict)
    """The variables that a condition is about, by its identity."""

    def of(self, runner: Runner) -> Base:
        """Return what can be concluded in a world."""
        if id(runner) not in self._worlds:
            self._worlds[id(runner)] = Base(self, runner)
        return self._worlds[id(runner)]

    def expression(self, node: Node, runner: Runner) -> Expression:
        """Return a condition in the form that serves every world."""
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
    """Return the basis that the ledger has recorded."""
    return Basis(argument, recorded(argument))


class Watch:
    """Notes which record made a premise false that was true when the behaviour began; mutable.

    It looks at intervals, before the newest steps are forgotten: to name the record it needs the steps since then.
    """

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, object] = {}
        """By the identity of a premise, the record that made it false."""
        self.basis, base = basis, basis.of(validation.runner)
        whys, false = base.beginning(validation.states[0])
        self.kept = base.premises.keys() - false
        """The premises that were true at first and have been since."""
        self.first = base, whys if validation.given else base.whys_not(())
        """The first world, and why nothing is concluded there; in an initial state induction may always begin."""

    def __call__(self, validation: Validation) -> None:
        """Look at the current state and, if a premise has become false in it, at the steps that led to it."""
        premises, state = self.basis.of(validation.runner).premises, validation.states[0]
        for lost in [key for key in self.kept if not premises[key](state.values)]:
            self.broken[lost] = validation.text
            for _, text, _, after in reversed(validation.last):
                if premises[lost](after.values):
                    break
                self.broken[lost] = text
            self.kept -= {lost}

    def end(self, validation: Validation) -> None:
        """Take in that the behaviour ended."""


class _Concluded(NamedTuple):
    """What is concluded about one claim for one behaviour."""

    why: str
    """Why the claim is not concluded, whatever the size; empty if it is."""
    taken_away: int | None
    """The premise that a record made false, if that is the reason."""
    size: str
    """The size for which it is proved, if that is another one and nothing else is wrong."""
    is_tested: bool
    """Whether its condition is true at the end."""
    is_of_the_run: bool


class _Ended(NamedTuple):
    """How a behaviour ended, as far as the conclusions depend on it."""

    worlds: tuple[tuple[Base, tuple[str, ...]], ...]
    """The worlds of the behaviour in order, each with the reasons, per claim, why nothing is concluded there."""
    false: frozenset[int]
    """The premises that are false at its end, by their identity."""
    broken: frozenset[int]
    """The false premises that some record made false."""
    shown: frozenset[str]
    """The variables whose whole value every record of the behaviour has stated."""


@lru_cache(KNOWN_MAX)
def _concluded(basis: Basis, ended: _Ended) -> tuple[_Concluded, ...]:
    """Return what is concluded about each claim for a behaviour that ended so."""

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
    """Counts what is concluded about the behaviours of one specification; mutable."""

    watch: type[Watch] = Watch
    """The class that watches each behaviour; a count over every state uses one that looks at more."""

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self.given_up = 0
        """The number of behaviours that were given up at some record; the judge that gives one up counts it."""
        self._ended = Counter[_Ended]()
        """How many behaviours ended in each way."""
        self._first: dict[str, str] = {}
        """By the reason why a claim is not concluded, the first record to bring that about, and in which behaviour."""

    def begin(self, validation: Validation, otherwise: Mapping[str, Plain] | None = None) -> None:
        """Watch a behaviour from its beginning; it gets other history if what a proof rests on is false there."""
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
            watch(validation)  # only for the first such behaviour the record is named
            of = f", of {called()}" if called() else ""
            taken_away = {one.why: one.taken_away for one in _concluded(self._basis, ended) if one.taken_away}
            self._first = {why: f"first by {watch.broken[key]}{of}" for why, key in taken_away.items()} | self._first
        self._ended[ended] += 1

    def conclude(self) -> ByProof:
        """Return what is concluded about all behaviours."""
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
