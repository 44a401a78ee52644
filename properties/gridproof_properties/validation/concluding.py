"""What is concluded by proof of the behaviours that explain a run.

Induction begins somewhere: what is proved of a specification holds in every state that its initial states lead to. The
behaviours of a run begin in states that members had when something was recorded first, and go on in larger worlds when
one becomes too small. So wherever no action led to a state, all that the proof rests on is evaluated there, claims and
lemmas, on plain values. Where one is false nothing is concluded.

A claim with a condition says nothing of states in which that is false. Whether it is so is read at the end of a
behaviour; where it was so to begin with and is not any more, the record is named that took it away.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, partial
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

Values = tuple[Plain, ...]
Found = TypeVar("Found")
RECENT_MAX = 8
"""Values of which it is remembered what was found."""


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

    def __init__(self, node: Node, expression: Expression, ground: Grounding) -> None:
        self.node, self.reads = node, expression.reads
        self._read, self._evaluator = reader([self]), cache(partial(expression.evaluator, ground))
        self._known = Recent[bool]()

    def is_so(self, state: State) -> bool:
        """Whether it holds in a state; where it means nothing there it does not."""
        try:
            return bool(self._evaluator()(state.values, {}))
        except (StepError, IndexError, TypeError):
            return False

    def was_so(self, state: State) -> bool:
        """Whether it holds in a state, of which it mostly reads what it read in one of the last."""
        return self._known.of(self._read(state.values), lambda: self.is_so(state))


def reader(parts: Iterable[Part]) -> Callable[[Values], Plain]:
    """Return what takes out of a state's values those that some conditions read; always None where they read none."""
    reads = sorted(set[int]().union(*(part.reads for part in parts)))
    return itemgetter(*reads) if reads else lambda values: None


@dataclass(frozen=True, slots=True, eq=False)
class Premises:
    """Some premises of a world that are looked at after every step."""

    parts: list[Part]
    others: list[Part]
    """Those that are not."""
    read: Callable[[Values], Plain]
    """Returns of a state's values those that the parts read."""


class Base:
    """What can be concluded in one world, and what that rests on."""

    def __init__(self, basis: "Basis", runner: Runner) -> None:
        argument, constants, names = basis.argument, dict(runner.world.constants), runner.world.names
        ground, self._start = Grounding(constants), runner.start
        self.claims = of_runs(argument, constants, basis.knowledge)
        nodes = {id(node): node for one in self.claims for node in one.conditions}
        self.premises = tuple(Part(node, basis.expression(node, names), ground) for node in nodes.values())
        self.rests = {
            id(one.base): one.base for one in self.claims if one.scope in (Scope.CONCLUDED, Scope.BUT_FOR_SIZE)
        }
        """What is known that something rests on, by its identity; None where it is known of this world's own start."""
        named = {one.name: one.condition for one in (*argument.specification.claims, *argument.lemmas)}
        every = sorted(set().union(*(one.holds for one in self.rests.values() if one is not None)))
        self._held = {name: Part(named[name], basis.expression(named[name], names), ground) for name in every}
        self._reads = reader(self.premises)
        self._reads_held = reader(self._held.values())
        self._true, self._whys_not = Recent[Premises](), Recent[tuple[str, ...]]()
        self._some: dict[frozenset[int], Premises] = {}

    def whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        """Return, for each thing known, why induction may not begin in some states; empty where it may."""
        whys = ("",) * len(self.rests)
        for state in states:
            found = self._whys_not_at(state)
            whys = tuple(why or other for why, other in zip(whys, found, strict=True)) if any(whys) else found
        return whys

    def _whys_not_at(self, state: State) -> tuple[str, ...]:
        return self._whys_not.of(
            (self._reads_held(state.values), state == self._start),
            lambda: tuple(self._why_not(one, state) for one in self.rests.values()),
        )

    def true_at(self, state: State) -> Premises:
        """Return the premises that are so in a state."""
        return self._true.of(
            self._reads(state.values), lambda: self.those({id(one.node) for one in self.premises if one.is_so(state)})
        )

    def those(self, ids: AbstractSet[int]) -> Premises:
        """Return some premises, by their identity."""
        key = frozenset(ids)
        if key not in self._some:
            parts = [one for one in self.premises if id(one.node) in key]
            others = [one for one in self.premises if id(one.node) not in key]
            self._some[key] = Premises(parts, others, reader(parts))
        return self._some[key]

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
    _worlds: dict[object, Base] = field(default_factory=dict)
    _reads: dict[str, frozenset[str]] = field(default_factory=dict)
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """By the identity of a condition."""

    def of(self, runner: Runner) -> Base:
        """Return what can be concluded in a world."""
        constants = runner.world.constants
        if constants not in self._worlds:
            self._worlds[constants] = Base(self, runner)
        return self._worlds[constants]

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
    """Notes which record made a premise false that was true where a behaviour began; mutable."""

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, str] = {}
        """By the identity of the premise, what took it away."""
        self._basis, self._runner = basis, validation.runner
        self._kept = basis.of(validation.runner).true_at(validation.states[0])
        self._last: Plain = None

    def __call__(self, validation: Validation) -> None:
        """Look at the state after a step."""
        kept, state = self._kept, validation.states[0]
        if validation.runner is not self._runner:
            kept = self._in_its_world(validation)
        read = kept.read(state.values)
        if read == self._last:
            return
        self._last = read
        false = {id(part.node) for part in kept.parts if not part.is_so(state)}
        if false:
            self.broken |= dict.fromkeys(false, str(validation.text))
            self._kept = self._basis.of(self._runner).those({id(part.node) for part in kept.parts} - false)
            self._last = self._kept.read(state.values)

    def false_at_the_end(self, validation: Validation) -> frozenset[int]:
        """Return the premises that are false at the end of the behaviour, by their identity."""
        kept = self._in_its_world(validation)
        not_looked_at = validation.states if self._last is None else validation.states[1:]
        false = [one for one in kept.parts if not all(map(one.is_so, not_looked_at))]
        false += [one for one in kept.others if not all(map(one.is_so, validation.states))]
        return frozenset(id(one.node) for one in false)

    def _in_its_world(self, validation: Validation) -> Premises:
        if validation.runner is not self._runner:
            self._runner, self._last = validation.runner, None
            ids = {id(part.node) for part in self._kept.parts}
            self._kept = self._basis.of(validation.runner).those(ids)
        return self._kept


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
        return WhyNot(f"`{Notation().text(negated(premise))}` is so", 0, f"first by {self.broken[id(premise)]}{where}")

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

    def end(self, whose: object, validation: Validation) -> None:
        """Count a behaviour that was explained to its end."""
        given = validation.given or ((validation.runner, ()),)
        bases = tuple(self._basis.of(runner) for runner, _ in given)
        whys = tuple(base.whys_not(states) for base, (_, states) in zip(bases, given, strict=True))
        watch = validation.watch
        assert isinstance(watch, Watch)
        false = watch.false_at_the_end(validation)
        key = (*map(id, bases), whys, false, *watch.broken, validation.shown)
        known = self._alike.get(key)
        if known is None:
            known = _Alike(bases, whys, false, watch.broken, "" if whose is None else str(whose), validation.shown), 0
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
