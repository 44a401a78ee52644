"""What is concluded by proof of the behaviours that explain a run.

Induction begins somewhere: what is proved of a specification holds in every state that its initial states lead to. The
behaviours of a run begin in states that members had when something was recorded first, and go on in larger worlds when
one becomes too small. So wherever no action led to a state, all that the proof rests on is evaluated there, claims and
lemmas, on plain values. Where one is false nothing is concluded.

A claim with a condition says nothing of states in which that is false. Whether it is so is read at the end of a
behaviour; where it was so to begin with and is not any more, the record is named that took it away.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import Generic, TypeVar

from gridproof_model.language import Claim, ClaimKind, Plain, State, StepError
from gridproof_model.language.decided import negated
from gridproof_model.language.evaluate import Expression
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.notation import Notation
from gridproof_model.language.run import Runner
from gridproof_model.language.specification import variables_in
from gridproof_model.language.tree import Node
from gridproof_properties.claims.known import Knowledge, KnownIn, recorded
from gridproof_properties.claims.of_runs import Scope, of_runs
from gridproof_properties.judging.by_proof import ByProof, OfClaim, WhyNot
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.validation.engine import Validation
from gridproof_properties.validation.explanation import Taken

Values = tuple[Plain, ...]
Found = TypeVar("Found")
RECENT_MAX = 8
"""Values of which it is remembered what was found."""
KNOWN_MAX = 1_024
"""The same of what one condition reads where behaviours begin."""


class Recent(Generic[Found]):
    """What was found of the newest values that differ; they are compared, for to hash all of a state takes longer."""

    def __init__(self) -> None:
        self._known = deque[tuple[Plain, Found]](maxlen=RECENT_MAX)

    def of(self, value: Plain, find: Callable[[], Found]) -> Found:
        """Return what was found of a value, or find it now."""
        for known, found in self._known:
            if known == value:
                return found
        found = find()
        self._known.appendleft((value, found))
        return found


class Part:
    """A condition over one world's states: a premise of claims, or a claim or lemma that a proof rests on."""

    def __init__(self, expression: Expression, ground: Grounding) -> None:
        self.reads = expression.reads
        self._read, self._evaluator = reader([self]), cache(partial(expression.evaluator, ground))
        self._known: dict[Plain, bool] = {}

    def is_so(self, state: State) -> bool:
        """Whether it holds in a state; where it means nothing there it does not."""
        try:
            return bool(self._evaluator()(state.values, {}))
        except (StepError, IndexError, TypeError):
            return False

    def was_so(self, state: State) -> bool:
        """Whether it holds in a state, of which it mostly reads what it has read before."""
        read = self._read(state.values)
        if (known := self._known.get(read)) is None:
            if len(self._known) == KNOWN_MAX:
                self._known.clear()
            known = self._known[read] = self.is_so(state)
        return known


def reader(parts: Iterable[Part]) -> Callable[[Values], Plain]:
    """Return what takes out of a state's values those that some conditions read; always None where they read none."""
    reads = sorted(set[int]().union(*(part.reads for part in parts)))
    return itemgetter(*reads) if reads else lambda values: None


class Base:
    """What can be concluded in one world, and what that rests on."""

    def __init__(self, basis: "Basis", runner: Runner) -> None:
        argument, constants, names = basis.argument, dict(runner.world.constants), runner.world.names
        ground, self._runner, self._start = Grounding(constants), runner, runner.start
        self.claims = of_runs(argument, constants, basis.knowledge)
        nodes = {id(node): node for one in self.claims for node in one.conditions}
        self.premises = {key: Part(basis.expression(node, names), ground) for key, node in nodes.items()}
        """By the identity of their nodes."""
        self.every = frozenset(self.premises)
        self.rests = {
            id(one.base): one.base for one in self.claims if one.scope in (Scope.CONCLUDED, Scope.BUT_FOR_SIZE)
        }
        """What is known that something rests on, by its identity; None where it is known of this world's own start."""
        named = {one.name: one.condition for one in (*argument.specification.claims, *argument.lemmas)}
        every = sorted(set().union(*(one.holds for one in self.rests.values() if one is not None)))
        self._held = {name: Part(basis.expression(named[name], names), ground) for name in every}
        self._reads = reader(self.premises.values())
        self._reads_held = reader(self._held.values())
        self._true, self._whys_not = Recent[frozenset[int]](), Recent[tuple[str, ...]]()
        self._negations: dict[int, str] = {}

    def whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        """Return, for each thing known, why induction may not begin in some states; empty where it may."""
        if not states:
            return ("",) * len(self.rests)
        whys, *others = map(self._whys_not_at, states)
        for found in others:
            whys = tuple(why or other for why, other in zip(whys, found, strict=True))
        return whys

    def _whys_not_at(self, state: State) -> tuple[str, ...]:
        return self._whys_not.of(
            (self._reads_held(state.values), state == self._start),
            lambda: tuple(self._why_not(one, state) for one in self.rests.values()),
        )

    def true_at(self, state: State) -> frozenset[int]:
        """Return the premises that are so in a state, by their identity."""
        return self._true.of(
            self._reads(state.values), lambda: frozenset(key for key, one in self.premises.items() if one.is_so(state))
        )

    def negation(self, premise: Node) -> str:
        """Return what is so where a premise is false."""
        if id(premise) not in self._negations:
            self._negations[id(premise)] = Notation().text(negated(premise))
        return self._negations[id(premise)]

    def _why_not(self, known: KnownIn | None, state: State) -> str:
        if known is None:
            return "" if state == self._start else "it begins in no initial state"
        false = next(
            (name for name, part in self._held.items() if name in known.holds and not part.was_so(state)), None
        )
        return "" if false is None else f"it begins in a state that breaks what the proof rests on: {false}"


@dataclass(frozen=True, eq=False)
class Basis:
    """What is known of a specification, and what follows in each world."""

    argument: Argument
    knowledge: Knowledge
    _worlds: dict[int, Base] = field(default_factory=dict)
    """By the identity of what runs them."""
    _reads: dict[str, frozenset[str]] = field(default_factory=dict)
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """By the identity of a condition."""

    def of(self, runner: Runner) -> Base:
        """Return what can be concluded in a world."""
        if id(runner) not in self._worlds:
            self._worlds[id(runner)] = Base(self, runner)
        return self._worlds[id(runner)]

    def expression(self, node: Node, names: tuple[str, ...]) -> Expression:
        """Return a condition as it is written for every world."""
        if id(node) not in self._expressions:
            self._expressions[id(node)] = Expression(node, names)
        return self._expressions[id(node)]

    def reads(self, claim: Claim) -> frozenset[str]:
        """Return the variables that a claim is about."""
        if claim.name not in self._reads:
            self._reads[claim.name] = variables_in(claim.condition)
        return self._reads[claim.name]


@cache
def recorded_basis(argument: Argument) -> Basis:
    """Return what the ledger has recorded."""
    return Basis(argument, recorded(argument))


class Watch:
    """Notes which record made a premise false that was true where a behaviour began; mutable.

    It looks now and then, before the newest steps are forgotten: a state that nothing is false of shows no record.
    """

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, str] = {}
        """By the identity of the premise, what took it away."""
        self._basis = basis
        self._first = validation.runner, validation.states[0]
        self._kept: frozenset[int] | None = None
        """Of the premises that were so at first those that were at the last look; None where all of them were."""
        self._seen = validation.steps

    @cached_property
    def _at_first(self) -> frozenset[int]:
        runner, state = self._first
        return self._basis.of(runner).true_at(state)

    def __call__(self, validation: Validation) -> frozenset[int]:
        """Look at the state that the behaviour is in, and where it is another, at those since the last look.

        Returns the premises that are so, by their identity.
        """
        base = self._basis.of(validation.runner)
        true = base.true_at(validation.states[0])
        if true == base.every:
            self._kept = None
        else:
            kept = self._at_first if self._kept is None else self._kept
            if lost := kept - true:
                steps = [*validation.last][self._seen - validation.steps or len(validation.last) :]
                self.broken |= {key: _taken_away(base.premises[key], validation, steps) for key in lost}
            self._kept = true & self._at_first
        self._seen = validation.steps
        return true

    def false_at_the_end(self, validation: Validation) -> frozenset[int]:
        """Return the premises that are false at the end of the behaviour, by their identity."""
        true, base = self(validation), self._basis.of(validation.runner)
        return base.every.difference(true.intersection(*map(base.true_at, validation.states[1:])))


def _taken_away(premise: Part, validation: Validation, steps: Sequence[Taken]) -> str:
    """Return the record since which a premise is false."""
    text: object = validation.text
    for _, before, _, after in reversed(steps):
        if premise.is_so(after):
            break
        text = before
    return str(text)


@dataclass(frozen=True, slots=True, eq=False)
class _Alike:
    """Behaviours of which the same is concluded."""

    bases: tuple[Base, ...]
    """The worlds that they lie in, the last one at last."""
    whys_not: tuple[tuple[str, ...], ...]
    """For each of them, why induction may not begin there, by what it rests on."""
    false: frozenset[int]
    """The premises that are not so at the end, by their identity."""
    broken: Mapping[int, str]
    """By the identity of a premise, which record took it away from the first of them."""
    whose: str
    """What the first of them is about."""
    shown: frozenset[str]

    def why_not(self, number: int) -> WhyNot | None:
        """Return why a claim is not concluded, be it of another size; None where it is."""
        for base, whys in zip(self.bases, self.whys_not, strict=True):
            found = base.claims[number]
            if found.scope in (Scope.NOTHING, Scope.UP_TO):
                return WhyNot(found.why, 0, "")
            if why := whys[list(base.rests).index(id(found.base))]:
                return WhyNot(why, 0, "")
        premise = self.false_premise(number)
        if premise is None or id(premise) not in self.broken:
            return None
        where = f", of {self.whose}" if self.whose else ""
        return WhyNot(f"`{self.bases[-1].negation(premise)}` is so", 0, f"first by {self.broken[id(premise)]}{where}")

    def false_premise(self, number: int) -> Node | None:
        """Return the first premise of a claim that is not so at the end."""
        return next((one for one in self.bases[-1].claims[number].conditions if id(one) in self.false), None)

    def size(self, number: int) -> str:
        """Return what size a claim is proved for, where that is another one; empty where it is not."""
        found = (base.claims[number] for base in self.bases)
        return next((one.why for one in found if one.scope is Scope.BUT_FOR_SIZE), "")


class Concluding:
    """Counts what is concluded of the behaviours of one specification; mutable."""

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self._given_up = 0
        self._alike: dict[object, tuple[_Alike, int]] = {}
        """With how many there are."""

    def begin(self, validation: Validation) -> None:
        """Watch a behaviour from its beginning on."""
        validation.watch = Watch(self._basis, validation)

    def give_up(self) -> None:
        """Count a behaviour of which nothing can be said from some record on."""
        self._given_up += 1

    def end(self, called: Callable[[], str], validation: Validation) -> None:
        """Count a behaviour that was explained to its end; `called` says what it is about."""
        given = validation.given or ((validation.runner, ()),)
        bases = tuple([self._basis.of(runner) for runner, _ in given])
        whys = tuple([base.whys_not(states) for base, (_, states) in zip(bases, given, strict=True)])
        watch = validation.watch
        assert isinstance(watch, Watch)
        false = watch.false_at_the_end(validation)
        broken = {key: watch.broken[key] for key in false & watch.broken.keys()}
        key = (*map(id, bases), whys, false, frozenset(broken), validation.shown)
        known = self._alike.get(key)
        if known is None:
            known = _Alike(bases, whys, false, broken, called(), validation.shown), 0
        self._alike[key] = known[0], known[1] + 1

    def conclude(self) -> ByProof:
        """Return what is concluded of all of them."""
        specification = self._basis.argument.specification
        always = (claim for claim in specification.claims if claim.kind is ClaimKind.ALWAYS)
        found = tuple(self._of_claim(number, claim) for number, claim in enumerate(always))
        return ByProof(specification.name, sum(count for _, count in self._alike.values()), self._given_up, found)

    def _of_claim(self, number: int, claim: Claim) -> OfClaim:
        concluded = tested = but_for_size = of_the_run = 0
        size, whys = "", dict[str, WhyNot]()
        reads = self._basis.reads(claim)
        for alike, count in self._alike.values():
            if (why := alike.why_not(number)) is not None:
                before = whys.get(why.why, why)
                whys[why.why] = replace(before, behaviours=before.behaviours + count)
            elif other := alike.size(number):
                but_for_size, size = but_for_size + count, size or other
            else:
                concluded += count
                tested += count if alike.false_premise(number) is None else 0
                of_the_run += count if reads <= alike.shown else 0
        is_of_the_run = 0 < concluded == of_the_run
        return OfClaim(
            claim.name, claim.sentence, concluded, tested, but_for_size, size, (*whys.values(),), is_of_the_run
        )
