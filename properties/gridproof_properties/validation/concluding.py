"""What is concluded by proof of the behaviours that explain a run.

Induction begins somewhere: what is proved of a specification holds in every state that its initial states lead to. The
behaviours of a run begin in states that members had when something was recorded first, and go on in larger worlds when
one becomes too small. So wherever no action led to a state, all that the proof rests on is evaluated there, claims and
lemmas, on plain values. Where one is false nothing is concluded.

A claim with a condition says nothing of states in which that is false. Whether it is so is read at the end of a
behaviour; where it was so to begin with and is not any more, the record is named that took it away.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from gridproof_model.language import Claim, ClaimKind, Plain, State, StepError
from gridproof_model.language.decided import negated
from gridproof_model.language.evaluate import Evaluator, Expression
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.notation import Notation
from gridproof_model.language.run import Runner
from gridproof_model.language.specification import variables_in
from gridproof_model.language.tree import Node
from gridproof_properties.claims.known import Knowledge, recorded
from gridproof_properties.claims.of_runs import Scope, of_runs
from gridproof_properties.judging.by_proof import ByProof, OfClaim, WhyNot
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.validation.engine import Validation
from gridproof_properties.validation.explanation import Taken

Beginning = tuple[tuple[str, ...], frozenset[int]]
"""Why induction may not begin somewhere, by what is known, and the premises that are so there, by their identity."""
KNOWN_MAX = 1_024
"""Values of which it is remembered what was found of them."""
BEGINNINGS_MAX = 64
"""States of one world in which behaviours began, of which it is remembered what was so there."""
Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """What was found of states, by what it depends on; mutable."""

    def __init__(self, reads: Collection[int], find: Callable[[State], Found]) -> None:
        self._read: Callable[[tuple[Plain, ...]], Plain] = itemgetter(*sorted(reads)) if reads else lambda values: None
        self._find, self._known = find, dict[Plain, Found]()
        self._newest: tuple[Plain, Found] | None = None

    def __call__(self, state: State) -> Found:
        """Return what was found of such a state, or find it now."""
        read = self._read(state.values)
        if self._newest is not None and self._newest[0] == read:  # often the same objects, which takes no hash to see
            return self._newest[1]
        if (known := self._known.get(read)) is None:
            if len(self._known) == KNOWN_MAX:
                self._known.clear()
            known = self._known[read] = self._find(state)
        self._newest = read, known
        return known


class Part:
    """A condition over one world's states: a premise of claims, or a claim or lemma that a proof rests on."""

    def __init__(self, expression: Expression, ground: Grounding) -> None:
        self.reads = expression.reads
        self._made = partial(expression.evaluator, ground)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What computes it; made when it is asked for, for of most parts nobody asks in most worlds."""
        return self._made()

    @cached_property
    def was_so(self) -> Remembered[bool]:
        """Whether it holds in a state, of which it mostly reads what it has read before."""
        return Remembered(self.reads, self.is_so)

    def is_so(self, state: State) -> bool:
        """Whether it holds in a state; where it means nothing there it does not."""
        try:
            return bool(self.evaluator(state.values, {}))
        except (StepError, IndexError, TypeError):
            return False


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
        self.rests_at = {key: at for at, key in enumerate(self.rests)}
        named = {one.name: one.condition for one in (*argument.specification.claims, *argument.lemmas)}
        every = sorted(set().union(*(one.holds for one in self.rests.values() if one is not None)))
        self._held = {name: Part(basis.expression(named[name], names), ground) for name in every}
        self._rests_on = {
            key: [(name, part) for name, part in self._held.items() if name in one.holds]
            for key, one in self.rests.items()
            if one is not None
        }
        self.true_at = Remembered(set().union(*(one.reads for one in self.premises.values())), self._true_at)
        """Returns the premises that are so in a state, by their identity."""
        self._beginnings: dict[State, Beginning] = {}

    def whys_not(self, states: tuple[State, ...]) -> tuple[str, ...]:
        """Return, for each thing known, why induction may not begin in some states; empty where it may."""
        whys = [self._whys_not(state, is_new=True) for state in states]
        return whys[0] if len(whys) == 1 else tuple(next(filter(None, found), "") for found in zip(*whys, strict=True))

    def beginning(self, state: State) -> Beginning:
        """Return what is so where a behaviour begins; many begin in the same state."""
        found = self._beginnings.get(state)
        if found is None:
            if len(self._beginnings) == BEGINNINGS_MAX:
                self._beginnings.clear()
            found = self._beginnings[state] = self._whys_not(state, is_new=False), self.true_at(state)
        return found

    def _whys_not(self, state: State, *, is_new: bool) -> tuple[str, ...]:
        """Return why induction may not begin in a state; of a new one, out of the midst of a run, nothing is known."""
        values = zip(state.values, self._start.values, strict=True)
        changed = frozenset(at for at, (value, first) in enumerate(values) if value != first)

        def holds(name: str, part: Part) -> bool:
            if part.reads.isdisjoint(changed):
                return name in self._held_at_start
            return part.is_so(state) if is_new else part.was_so(state)

        def why_not(one: int) -> str:
            if one not in self._rests_on:
                return "it begins in no initial state" if changed else ""
            broken = (name for name, part in self._rests_on[one] if not holds(name, part))
            return next((f"it begins in a state that breaks what the proof rests on: {name}" for name in broken), "")

        return tuple(map(why_not, self.rests))

    def _true_at(self, state: State) -> frozenset[int]:
        return frozenset(key for key, one in self.premises.items() if one.is_so(state))

    @cached_property
    def _held_at_start(self) -> frozenset[str]:
        return frozenset(name for name, part in self._held.items() if part.is_so(self._start))


@dataclass(frozen=True, eq=False)
class Basis:
    """What is known of a specification, and what follows in each world."""

    argument: Argument
    knowledge: Knowledge
    _worlds: dict[int, Base] = field(default_factory=dict)
    """By the identity of what runs them."""
    _expressions: dict[int, Expression] = field(default_factory=dict)
    """By the identity of a condition."""
    _concluded: "dict[_Ended, tuple[_Concluded, ...]]" = field(default_factory=dict)

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

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What holds always, in the order declared."""
        return tuple(one for one in self.argument.specification.claims if one.kind is ClaimKind.ALWAYS)

    @cached_property
    def _reads(self) -> tuple[frozenset[str], ...]:
        return tuple(variables_in(one.condition) for one in self.claims)

    def concluded(self, ended: "_Ended") -> "tuple[_Concluded, ...]":
        """Return what is concluded of each claim of a behaviour that went so."""
        if ended not in self._concluded:
            if len(self._concluded) == KNOWN_MAX:
                self._concluded.clear()
            self._concluded[ended] = tuple(ended.concluded(number, reads) for number, reads in enumerate(self._reads))
        return self._concluded[ended]


@cache
def recorded_basis(argument: Argument) -> Basis:
    """Return what the ledger has recorded."""
    return Basis(argument, recorded(argument))


class Watch:
    """Notes which record made a premise false that was true where a behaviour began; mutable.

    It looks now and then, before the newest steps are forgotten: a state that nothing is false of shows no record.
    """

    def __init__(self, basis: Basis, validation: Validation) -> None:
        self.broken: dict[int, Callable[[], str]] = {}
        """By the identity of the premise, what finds which record took it away."""
        self.basis, base = basis, basis.of(validation.runner)
        whys, self._at_first = base.beginning(validation.states[0])
        """The premises that were so at first."""
        self.kept = self._at_first
        """Those of them that were at the last look."""
        self.first = base, whys if validation.given else ("",) * len(whys)
        """The world that it begins in, and why induction may not begin there: it may in initial states."""
        self._seen, validation.newest = validation.steps, None

    def newest(self, validation: Validation) -> list[Taken]:
        """Return the steps since the last look."""
        return [*validation.last][self._seen - validation.steps or len(validation.last) :]

    def end(self, validation: Validation) -> None:
        """See the behaviour end."""

    def __call__(self, validation: Validation) -> None:
        """Look at the state that the behaviour is in, and where it is another, at those since the last look."""
        base = self.basis.of(validation.runner)
        true = base.true_at(validation.states[0])
        if lost := self.kept - true:
            texts = validation.runner, self.newest(validation), validation.text
            self.broken |= {key: partial(_taken_away, base.premises[key], *texts) for key in lost}
        self.kept = true & self._at_first
        self._seen, validation.newest = validation.steps, None


def _taken_away(premise: Part, runner: Runner, steps: Iterable[Taken], newest: object) -> str:
    """Return the record since which a premise is false: the newest one where no step made it so."""
    since, state = list[object](), runner.start
    for _, text, event, before in steps:
        after = runner.after(state if before is None else before, event)
        assert after is not None, "it was taken before"
        state = after
        since = [] if premise.is_so(state) else [*since, text]
    return str([*since, newest][0])


@dataclass(frozen=True, slots=True)
class _Concluded:
    """What is concluded of one claim of behaviours that are alike."""

    why: str = ""
    """Why it is not concluded, be it of another size; empty where it is."""
    taken_away: int | None = None
    """The premise that a record made false, where that is why."""
    size: str = ""
    """What size it is proved for, where that is another one."""
    is_tested: bool = True
    """Whether its condition is so at the end."""
    is_of_the_run: bool = False


@dataclass(slots=True)
class _Alike:
    """Behaviours of which the same is concluded; mutable."""

    claims: tuple[_Concluded, ...]
    whose: str
    """What the first of them is about."""
    taken_away: Mapping[int, Callable[[], str]]
    """By the identity of a premise, what finds which record made it false in the first of them."""
    behaviours: int = 0

    def first(self, premise: int | None) -> str:
        """Return which record made a premise false first, in which of them."""
        where = f", of {self.whose}" if self.whose else ""
        return "" if premise is None else f"first by {self.taken_away[premise]()}{where}"


class _Ended(NamedTuple):
    """How a behaviour went, as far as what is concluded depends on it."""

    worlds: tuple[tuple[Base, tuple[str, ...]], ...]
    """Those that it lies in, the last one at last; and why induction may not begin there, by what it rests on."""
    false: frozenset[int]
    """The premises that are not so at its end, by their identity."""
    broken: frozenset[int]
    """Those of them that some record made false."""
    shown: frozenset[str]
    """The variables that all of its records have stated whole."""

    def concluded(self, number: int, reads: frozenset[str]) -> _Concluded:
        """Return what is concluded of one claim, which is about some variables."""
        found = [base.claims[number] for base, _ in self.worlds]
        premise = next((one for one in found[-1].conditions if id(one) in self.false), None)
        is_so = premise is None and not found[-1].is_empty
        for (base, whys), one in zip(self.worlds, found, strict=True):
            if why := one.why if one.scope in (Scope.NOTHING, Scope.UP_TO) else whys[base.rests_at[id(one.base)]]:
                return _Concluded(why, is_tested=is_so)
        if premise is not None and id(premise) in self.broken:
            return _Concluded(f"`{Notation().text(negated(premise))}` is so", id(premise), is_tested=False)
        size = next((one.why for one in found if one.scope is Scope.BUT_FOR_SIZE), "")
        return _Concluded(size=size, is_tested=premise is None, is_of_the_run=reads <= self.shown)


class Concluding:
    """Counts what is concluded of the behaviours of one specification; mutable."""

    watch: type[Watch] = Watch
    """What each behaviour is watched with; who counts of every state has one that looks at more."""

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self._given_up = 0
        self._alike: dict[_Ended, _Alike] = {}

    def begin(self, validation: Validation) -> None:
        """Watch a behaviour from its beginning on."""
        validation.watch = self.watch(self._basis, validation)

    def give_up(self) -> None:
        """Count a behaviour of which nothing can be said from some record on."""
        self._given_up += 1

    def end(self, called: Callable[[], str], validation: Validation) -> None:
        """Count a behaviour that was explained to its end; `called` says what it is about."""
        watch = validation.watch
        assert isinstance(watch, Watch)
        watch.end(validation)
        worlds = watch.first, *map(self._later, validation.given[1:])
        base = worlds[-1][0]
        true, *others = map(base.true_at, validation.states)
        false = base.every.difference(true.intersection(*others))
        broken = false & (watch.kept - true).union(watch.broken)
        ended = _Ended(worlds, false, broken, validation.shown)
        alike = self._alike.get(ended)
        if alike is None:
            watch(validation)  # which record it was is said of the first
            taken_away = {key: watch.broken[key] for key in broken}
            alike = self._alike[ended] = _Alike(self._basis.concluded(ended), called(), taken_away)
        alike.behaviours += 1

    def _later(self, given: tuple[Runner, tuple[State, ...]]) -> tuple[Base, tuple[str, ...]]:
        base = self._basis.of(given[0])
        return base, base.whys_not(given[1])

    def conclude(self) -> ByProof:
        """Return what is concluded of all of them."""
        found = tuple(self._of_claim(number, claim) for number, claim in enumerate(self._basis.claims))
        behaviours = sum(alike.behaviours for alike in self._alike.values())
        return ByProof(self._basis.argument.specification.name, behaviours, self._given_up, found)

    def _of_claim(self, number: int, claim: Claim) -> OfClaim:
        concluded = tested = but_for_size = of_the_run = says_something = 0
        size, whys = "", dict[str, WhyNot]()
        for alike in self._alike.values():
            one, count = alike.claims[number], alike.behaviours
            says_something += count if one.is_tested else 0
            if one.why:
                before = whys.get(one.why) or WhyNot(one.why, 0, alike.first(one.taken_away))
                whys[one.why] = replace(before, behaviours=before.behaviours + count)
            elif one.size:
                but_for_size, size = but_for_size + count, size or one.size
            else:
                concluded += count
                tested += count if one.is_tested else 0
                of_the_run += count if one.is_of_the_run else 0
        is_of_the_run = 0 < concluded == of_the_run
        found = concluded, tested, but_for_size, size, (*whys.values(),), is_of_the_run, says_something
        return OfClaim(claim.name, claim.sentence, *found)
