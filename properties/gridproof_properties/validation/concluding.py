"""What proofs imply for the behaviours that explain a run.

Induction needs a beginning: what is proved of a specification is true in every state that is reached from its initial
states. The behaviours of a run begin in the states in which members were at the first recorded event, and continue in
larger worlds when a world becomes too small. So in every state to which no action led, all claims and lemmas on which a
proof rests are evaluated on plain values. If a claim or lemma on which a proof rests is false there, nothing is
concluded.

A claim with a condition says nothing about states in which its condition is false. The condition is evaluated at the
end of a behaviour; if it was true at the beginning and is false at the end, the record that made it false is named.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import count
from typing import Any, NamedTuple, TypeVar

from gridproof_model.language import Claim, ClaimKind, Plain, State, StepError
from gridproof_model.language.evaluate import Evaluator, Expression
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

Key = TypeVar("Key", int, str)
KNOWN_MAX = 256
"""How many results each cache keeps: of values, of first states of behaviours, of the ways in which they ended."""


def false_of(conditions: Mapping[Key, Expression], ground: Grounding) -> Callable[[State], frozenset[Key]]:
    """Return a function that finds, by their keys, the conditions that are false in a state of one world.

    A condition that has no value counts as false. Results are cached by the values that the conditions read.
    """
    # Evaluators are made only when they are needed: in most worlds most conditions are never evaluated.
    made = {key: cache(partial(one.evaluator, ground)) for key, one in conditions.items()}
    places = sorted(frozenset[int]().union(*(one.reads for one in conditions.values())))
    found = lru_cache(KNOWN_MAX)(lambda *read: _false_at(made, dict(zip(places, read, strict=True))))
    return lambda state: found(*[state.values[place] for place in places])


def _false_at(conditions: Mapping[Key, Callable[[], Evaluator]], values: Any) -> frozenset[Key]:
    return frozenset([key for key, made in conditions.items() if not _is_true(made(), values)])


def _is_true(condition: Evaluator, values: Any) -> bool:
    try:
        return bool(condition(values, {}))
    except (StepError, IndexError, TypeError):
        return False


class Base:
    """What can be concluded in one world, and which conditions of claims (premises) have to be true for it."""

    def __init__(self, basis: "Basis", runner: Runner) -> None:
        argument, constants = basis.argument, dict(runner.world.constants)
        self._start, ground = runner.start, Grounding(constants)
        self.claims = of_runs(argument, constants, basis.knowledge)
        self._known = {id(one.base): one.base for one in self.claims}
        held = frozenset[str]().union(*(known.holds for known in self._known.values() if known is not None))
        rests = (one for one in (*argument.specification.claims, *argument.lemmas) if one.name in held)
        by_reads = defaultdict[frozenset[int], dict[str, Expression]](dict)
        for one in rests:
            expression = basis.expression(one.condition, runner)
            by_reads[expression.reads][one.name] = expression
        finders = ((reads, false_of(those, ground)) for reads, those in by_reads.items())
        self._finders = [(reads, find, find(runner.start)) for reads, find in finders]
        self.broken = lru_cache(KNOWN_MAX)(self._broken)
        """Returns those claims and lemmas on which proofs rest that are false in a state."""
        premises = {id(node): basis.expression(node, runner) for one in self.claims for node in one.conditions}
        self.false_at = false_of(premises, ground)
        """Returns which premises of claims are false in a state, by the identity of their nodes."""
        self.true_at_first = lru_cache(KNOWN_MAX)(lambda state: premises.keys() - self.false_at(state))
        """Returns which premises of claims are true in a behaviour's first state, which many behaviours share."""
        self.whys_not = lru_cache(KNOWN_MAX)(self._whys_not)
        """Returns for each claim why it is not concluded if a behaviour continues here from these states, else ""."""

    def _broken(self, state: State) -> frozenset[str]:
        pairs = enumerate(zip(state.values, self._start.values, strict=True))
        changed = frozenset([place for place, (value, first) in pairs if value != first])
        return frozenset[str]().union(*[find(state) if reads & changed else of for reads, find, of in self._finders])

    def _whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        # If no state is given, the behaviour begins in an initial state, and only facts about the world decide.
        whys = {key: next(filter(None, map(partial(self._why_not, of), states)), "") for key, of in self._known.items()}
        rests = (Scope.CONCLUDED, Scope.BUT_FOR_SIZE)
        return tuple(whys[id(one.base)] if one.scope in rests else one.why for one in self.claims)

    def _why_not(self, known: KnownIn | None, state: State) -> str:
        """Return why induction may not begin in a state; `known` is None for conclusions that are true only in runs
        from initial states."""
        if known is None:
            return "it begins in no initial state" if state != self._start else ""
        broken = min(known.holds & self.broken(state), default="")
        return broken and f"it begins in a state that breaks what the proof rests on: {broken}"


@dataclass(frozen=True, eq=False)
class Basis:
    """What is known about a specification, and what follows from it in each world."""

    argument: Argument
    knowledge: Knowledge
    _worlds: dict[int, Base] = field(default_factory=dict)
    """The conclusions in each world, by the identity of the world's runner."""
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """The expression of each condition, by the identity of the condition; one expression serves all worlds."""

    def of(self, runner: Runner) -> Base:
        """Return what can be concluded in the world of a runner."""
        if id(runner) not in self._worlds:
            self._worlds[id(runner)] = Base(self, runner)
        return self._worlds[id(runner)]

    def expression(self, node: Node, runner: Runner) -> Expression:
        """Return a condition in a form that can be evaluated in every world."""
        if id(node) not in self._expressions:
            self._expressions[id(node)] = Expression(node, runner.world.names)
        return self._expressions[id(node)]


@cache
def recorded_basis(argument: Argument) -> Basis:
    """Return the basis that the ledger recorded for an argument."""
    return Basis(argument, recorded(argument))


class Watch:
    """Finds the record that made a claim's premise false, if the premise was true when the behaviour began; mutable.

    The watch looks at states at intervals, always before the newest steps are forgotten, since it finds the record
    among these steps.
    """

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, object] = {}
        """For each premise of a claim, by the premise's identity, the record that made it false."""
        self.basis, base = basis, basis.of(validation.runner)
        self.kept = base.true_at_first(validation.states[0])
        """The premises of claims that were true in the first state and have been true since."""
        self.first = base, base.whys_not(validation.given[0][1] if validation.given else ())
        """The first world, and why nothing is concluded there (in an initial state, induction may always begin)."""

    def __call__(self, validation: Validation) -> None:
        """Look at the present state and, if a premise has become false in it, at the steps that led to this state."""
        false_at = self.basis.of(validation.runner).false_at
        for lost in self.kept & false_at(validation.states[0]):
            self.broken[lost] = validation.recorded
            for record, _, after in reversed(validation.last):
                if lost not in false_at(after):
                    break
                self.broken[lost] = record
            self.kept = self.kept - {lost}


class _Concluded(NamedTuple):
    """What is concluded about one claim for one behaviour."""

    why: str
    """Why the claim is not concluded, whatever the size; empty if it is concluded."""
    taken_away: int | None
    """The identity of the claim's premise, if a record made it false and nothing is concluded for this reason."""
    size: str
    """The size for which the claim is proved, if only the run's size differs from it; otherwise empty."""
    is_tested: bool
    """Whether the condition of the claim is true at the end of the behaviour."""
    is_of_the_run: bool


class _Ended(NamedTuple):
    """How a behaviour ended, as far as conclusions depend on it."""

    worlds: tuple[tuple[Base, tuple[str, ...]], ...]
    """The worlds of the behaviour in order, each with the reasons why its claims are not concluded there."""
    false: frozenset[int]
    """Those premises of claims that are false at the end of the behaviour, by their identity."""
    broken: frozenset[int]
    """Those false premises of claims that some record made false."""
    shown: frozenset[str]
    """The variables whose whole value was stated by every record of the behaviour."""


@lru_cache(KNOWN_MAX)
def _concluded(ended: _Ended) -> tuple[_Concluded, ...]:
    """Return what is concluded about each claim for a behaviour that ended in the given way."""

    def of_claim(number: int, *found: OfRuns) -> _Concluded:
        premise = next((one for one in found[-1].conditions if id(one) in ended.false), None)
        why, taken_away = next(filter(None, (whys[number] for _, whys in ended.worlds)), ""), None
        if premise is not None and not why and id(premise) in ended.broken:
            why, taken_away = f"`{Notation().text(negated(premise))}` is so", id(premise)
        size = "" if why else next((one.why for one in found if one.scope is Scope.BUT_FOR_SIZE), "")
        is_tested = premise is None and not found[-1].is_empty
        is_of_the_run = bool(ended.shown) and variables_in(found[0].claim.condition) <= ended.shown
        return _Concluded(why, taken_away, size, is_tested, is_of_the_run)

    return tuple(map(of_claim, count(), *(base.claims for base, _ in ended.worlds)))


class Concluding:
    """Counts what is concluded about the behaviours of one specification; mutable."""

    def __init__(self, basis: Basis) -> None:
        self.basis = basis
        self.given_up = 0
        """The number of behaviours given up at some record; the judge that gives up a behaviour counts it here."""
        self._ended = Counter[_Ended]()
        """How many behaviours ended in each way."""
        self._first: dict[str, str] = {}
        """For each reason why a claim is not concluded: the first record that caused it, and its behaviour."""

    def begin(self, validation: Validation, otherwise: Mapping[str, Plain] | None = None) -> None:
        """Watch a behaviour from its beginning; it gets the history `otherwise` if a premise is false at first."""
        if otherwise and self.basis.of(validation.runner).broken(validation.states[0]):
            validation.states = tuple(state.replaced(otherwise) for state in validation.states)
            validation.given = ((validation.runner, validation.states),)
        validation.watch = Watch(self.basis, validation)

    def end(self, called: Callable[[], str], validation: Validation) -> None:
        """Count a behaviour that was explained to its end; `called` names what the behaviour is about."""
        watch: Any = validation.watch
        later = ((self.basis.of(runner), states) for runner, states in validation.given[1:])
        worlds = watch.first, *((base, base.whys_not(states)) for base, states in later)
        base = worlds[-1][0]
        false, *others = map(base.false_at, validation.states)
        broken = (watch.kept & false).union(watch.broken)
        false = false.union(*others)
        ended = _Ended(worlds, false, false & broken, validation.shown)
        if ended not in self._ended:
            watch(validation)  # only for the first such behaviour the record is named
            of = f", of {called()}" if called() else ""
            taken_away = {one.why: one.taken_away for one in _concluded(ended) if one.taken_away}
            self._first = {why: f"first by {watch.broken[key]}{of}" for why, key in taken_away.items()} | self._first
        self._ended[ended] += 1

    def conclude(self) -> ByProof:
        """Return what is concluded about all behaviours together."""
        counted = [(_concluded(ended), times) for ended, times in self._ended.items()]
        specification = self.basis.argument.specification
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
