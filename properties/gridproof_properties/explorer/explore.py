"""Explores a world: visits every state and judges every claim.

A claim is vacuous if it is kept only because the situation that it is about never arises: its premise is never true,
or no step assigns what it reads. A vacuous claim is true, but says nothing; its verdict says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

from gridproof_model.language.declarations import ClaimKind
from gridproof_model.language.limits import EXPRESSIONS_MAX
from gridproof_model.language.lower_world import lower
from gridproof_model.language.scalars import Demand, LoweredClaim, LoweredWorld, Premise, Scalar, Scalars
from gridproof_model.language.specification import variables_in
from gridproof_model.language.world import World
from gridproof_properties.explorer.exploration import (
    Behaviour,
    ClaimVerdict,
    Coverage,
    Exploration,
    Failure,
    FailureKind,
    counted_as,
    never_assigned,
)
from gridproof_properties.explorer.liveness import Waiting
from gridproof_properties.explorer.numpy_kernel import NumpyKernel
from gridproof_properties.explorer.packing import Packing
from gridproof_properties.explorer.search import PATIENCE, Found, Limits, Progress, Search, SearchEndedError, Space
from gridproof_properties.explorer.seen import MULTIPLIERS, HashCollisionError, Seen
from gridproof_properties.explorer.steps import StepGraph, StepRecord, step_graph
from gridproof_properties.explorer.symmetry import canonical_form, group_size
from gridproof_properties.explorer.witness import ProgressWitness, Witnesses
from gridproof_properties.judging.verdict import Result

DEFAULT_MEMORY_BYTES = 2 << 30
EXPRESSION_BYTES = 1 << 10
"""The most memory that one expression over numbers takes, together with its text and its compiled code."""
EXPRESSIONS_LEAST = 20_000
"""The number of expressions for which memory is always allowed."""


def explore(
    world: World,
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Callable[[Progress], None] | None = None,
    symmetry: bool = False,
    stories: bool = True,
    limits: Limits | None = None,
    is_interruptible: bool = False,
) -> Exploration:
    """Visit every reachable state of a world and judge its claims.

    When the sets of states take more than `memory_bytes`, the search stops, and what is not decided by then is unknown;
    it raises SpecificationError if the world's rules alone are too large for this memory, or exceed another limit
    (`spec.limits`). With `symmetry`, states that differ only by a renaming of interchangeable things are visited once;
    progress is then not judged. Without `stories`, the verdicts are the same, but no behaviour is kept: every witness
    is empty. The search also stops at any of the `limits`; if `is_interruptible`, a KeyboardInterrupt stops it and is
    not raised again.
    """
    started = perf_counter()
    expressions_max = min(EXPRESSIONS_MAX, max(EXPRESSIONS_LEAST, memory_bytes // EXPRESSION_BYTES))
    lowered = lower(world, expressions_max=expressions_max)
    explorer = Explorer(lowered, memory_bytes, progress, symmetry, stories, limits or Limits(), is_interruptible)
    search = explorer.search
    return Exploration(
        world=world,
        level_sizes=tuple(search.levels.sizes.tolist()),
        transitions=search.transitions,
        verdicts=tuple(explorer.verdict(claim) for claim in explorer.lowered.claims),
        failures=tuple(explorer.failures()),
        coverage=explorer.coverage,
        bytes_per_state=(search.levels.nbytes + search.seen.bytes) / max(search.states, 1),
        bytes_held=search.bytes_held,
        stopped_because=explorer.stopped_because,
        seconds=perf_counter() - started,
        group_size=explorer.group_size,
        is_interrupted=explorer.interrupted,
    )


@dataclass
class Explorer:
    """A lowered world, the search of it, and the conclusions from this search."""

    lowered: LoweredWorld
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    progress: Callable[[Progress], None] | None = None
    symmetry: bool = False
    stories: bool = True
    limits: Limits = field(default_factory=Limits)
    is_interruptible: bool = False
    patience: int = PATIENCE
    interrupted: bool = False
    """Whether the search, or the judging of progress, was interrupted."""

    @cached_property
    def search(self) -> Search:
        """The finished search; a limit may have ended it early."""
        return self._outcome[0]

    @cached_property
    def stopped_because(self) -> str | None:
        """Why the search ended early; None if it did not."""
        return self._outcome[1]

    @cached_property
    def witnesses(self) -> Witnesses:
        """Finds the shortest ways to the states that the search found."""
        return Witnesses(self.search)

    @property
    def group_size(self) -> int:
        """The number of renamings that the search uses; 1 if it is not reduced by symmetry."""
        return group_size(self.lowered.world) if self.symmetry else 1

    @property
    def _so_far(self) -> str:
        return f"{self.search.states:,} {counted_as(self.group_size)}"

    def verdict(self, lowered: LoweredClaim) -> ClaimVerdict:
        """Return the verdict on a claim, by the states that were reached."""
        idle = self.never_assigned if self.stopped_because is None else ()
        return marked(self._verdict(lowered), lowered, self._occurs, idle)

    def _occurs(self, premise: Premise) -> bool:
        """Return whether a premise is true in some state, or may be true in a state that was not visited."""
        is_seen = premise.condition.is_true or premise.condition in self.search.found
        return is_seen or self.stopped_because is not None

    def _verdict(self, lowered: LoweredClaim) -> ClaimVerdict:
        claim = lowered.claim
        sign = self._signs.get(claim.name)
        found = self.search.found.get(sign) if sign is not None else None
        if found is not None:
            witness = self._story(found)
            steps = f"{found.level} {'step' if found.level == 1 else 'steps'} from the start"
            is_good = claim.kind is ClaimKind.SOMETIMES
            sentence = f"seen {steps}" if is_good else f"broken {steps}"
            return ClaimVerdict(claim, Result.HOLDS if is_good else Result.BROKEN, sentence, witness)
        undefined = next((d for d in lowered.demands if self._undefined[d] in self.search.found), None)
        if undefined is not None:
            sentence = f"undefined in some state: {undefined.sentence}"
            return ClaimVerdict(claim, Result.UNKNOWN, sentence, is_undefined=True)
        if claim.kind is ClaimKind.EVENTUALLY:
            return self._progress(lowered)
        if self.stopped_because is not None:
            return ClaimVerdict(claim, Result.UNKNOWN, f"not decided by {self._so_far}: {self.stopped_because}")
        if claim.kind is ClaimKind.ALWAYS:
            return ClaimVerdict(claim, Result.HOLDS, f"holds in all {self._so_far}")
        return ClaimVerdict(claim, Result.BROKEN, f"in none of all {self._so_far}")

    def _progress(self, lowered: LoweredClaim) -> ClaimVerdict:
        claim = lowered.claim
        if self.symmetry:
            return ClaimVerdict(claim, Result.UNKNOWN, "progress is judged without symmetry reduction only")
        if self.stopped_because is not None:
            return ClaimVerdict(claim, Result.UNKNOWN, f"progress needs every state: {self.stopped_because}")
        if self.interrupted:
            return ClaimVerdict(claim, Result.UNKNOWN, "not decided: it was interrupted")
        if self.search.is_late:
            return ClaimVerdict(claim, Result.UNKNOWN, "not decided: the time limit is reached")
        try:
            return self._judged(lowered)
        except KeyboardInterrupt:
            if not self.is_interruptible:
                raise
            self.interrupted = True
            return self._progress(lowered)

    def _judged(self, lowered: LoweredClaim) -> ClaimVerdict:
        """Return the verdict on a claim of progress, by the graph of all steps."""
        claim, graph = lowered.claim, self._graph
        if graph is None:
            return ClaimVerdict(claim, Result.UNKNOWN, "the graph of all steps would pass the memory limit")
        waiting = Waiting(self._space, graph, lowered, self._fair)
        stuck = waiting.stuck()
        if stuck is None:
            return ClaimVerdict(claim, Result.HOLDS, f"every fair behaviour of all {self._so_far} arrives")
        if not self.stories:
            return ClaimVerdict(claim, Result.BROKEN, "broken")
        stuck_ways = ProgressWitness(waiting, stuck, self.witnesses)
        witness, cycle = stuck_ways.way_in(), stuck_ways.cycle()
        ending = f"then {len(cycle)} steps that repeat forever" if cycle else "then it stands still"
        steps = f"{len(witness) - 1} {'step' if len(witness) == 2 else 'steps'}"
        return ClaimVerdict(claim, Result.BROKEN, f"broken: {steps}, {ending}", witness, cycle)

    def failures(self) -> Iterator[Failure]:
        """Yield each failure that was found: an undefined step, undefined claims, a deadlock."""
        search = self.search
        if search.undefined is not None:
            demand, found = search.undefined
            sentence = f"a step is undefined: {demand.sentence} ({demand.at})"
            yield Failure(FailureKind.UNDEFINED_STEP, sentence, self._story(found))
        for demand, sign in self._undefined.items():
            if sign in search.found:
                sentence = f"a claim is undefined: {demand.sentence} ({demand.at})"
                yield Failure(FailureKind.UNDEFINED_CLAIM, sentence, self._story(search.found[sign]))
        if search.deadlock is not None:
            yield Failure(FailureKind.DEADLOCK, self._deadlock, self._story(search.deadlock))

    @property
    def _deadlock(self) -> str:
        stopping = self.lowered.world.stopping
        cure = "say with may_stop where it may stop" if stopping is None else f"it may stop elsewhere ({stopping.at})"
        return f"nothing can happen any more: {cure}"

    @cached_property
    def never_assigned(self) -> tuple[str, ...]:
        """The variables that are assigned by no action that was ever possible."""
        return never_assigned(self.lowered.world, self.coverage)

    @cached_property
    def coverage(self) -> tuple[Coverage, ...]:
        """How many times every action was possible or refused."""
        rows: dict[str, Coverage] = {}
        counts = iter(zip(self.search.fired, self.search.refused, strict=True))
        for instance in self.lowered.instances:
            if instance.is_impossible:
                never = next(number for number, guard in enumerate(instance.guards) if guard.is_false)
                fired = 0
                refused = [self.search.states if number == never else 0 for number in range(len(instance.guards))]
            else:
                fired, refused = next(counts)
            name = instance.event.action
            before = rows.get(name, Coverage(name, 0, (0,) * len(refused)))
            both = tuple(a + b for a, b in zip(before.refused, refused, strict=True))
            rows[name] = Coverage(name, before.fired + fired, both)
        return tuple(rows.values())

    def _story(self, found: Found) -> Behaviour:
        return self.witnesses.behaviour(found) if self.stories else ()

    @cached_property
    def _space(self) -> Space:
        return Space(self.search)

    @cached_property
    def _fair(self) -> tuple[int, ...]:
        """The numbers of the action instances that are fair."""
        instances = self.lowered.possible_instances
        return tuple(number for number, instance in enumerate(instances) if instance.fair)

    @cached_property
    def _graph(self) -> StepGraph | None:
        """The graph of all steps; None if there was no memory to record them."""
        search = self.search
        if search.record is None:
            return None
        keys = [search.seen.keys(block) for block in search.levels.blocks]
        return step_graph(search.record, keys, search.levels.bounds, self._fair)

    @cached_property
    def _outcome(self) -> tuple[Search, str | None]:
        notes_steps = not self.symmetry and bool(self.lowered.world.claims_of(ClaimKind.EVENTUALLY))
        kernel = NumpyKernel(self.lowered, Packing.of(self.lowered.cells), passes_over_still=True)
        canonical = canonical_form(self.lowered.world, kernel.packing, self.memory_bytes) if self.symmetry else None
        premises = (premise.condition for claim in self.lowered.claims for premise in claim.premises)
        watched = dict.fromkeys((*self._signs.values(), *self._undefined.values(), *premises))
        for multiplier in MULTIPLIERS:
            record = StepRecord() if notes_steps else None
            search = Search(
                kernel, tuple(watched), self.memory_bytes, self.progress, canonical, Seen(multiplier), record,
                self.limits, self._alarms, self.patience,
            )  # fmt: skip
            try:
                search.run()
            except HashCollisionError:
                continue
            except SearchEndedError as ended:
                return search, str(ended)
            except KeyboardInterrupt:
                if not self.is_interruptible:
                    raise
                self.interrupted = True
                return search, "it was interrupted"
            return search, "a step is undefined" if search.undefined is not None else None
        raise AssertionError("two states had the same hash by all four hash functions: report this specification")

    @cached_property
    def _signs(self) -> dict[str, Scalar]:
        """For each claim, the condition that decides it once it is true in some state: it breaks an always-claim, or
        reaches a sometimes-claim."""
        make = Scalars()
        return {
            lowered.claim.name: make.all(
                (
                    *(demand.condition for demand in lowered.demands),
                    make.negation(lowered.condition) if lowered.claim.kind is ClaimKind.ALWAYS else lowered.condition,
                )
            )
            for lowered in self.lowered.claims
            if lowered.claim.kind is not ClaimKind.EVENTUALLY
        }

    @property
    def _alarms(self) -> dict[Scalar, str]:
        """The conditions that break a claim, each with the name of the claim."""
        claims = {claim.name for claim in self.lowered.world.claims_of(ClaimKind.ALWAYS)}
        undefined = {sign: f"undefined: {demand.sentence}" for demand, sign in self._undefined.items()}
        return {**undefined, **{sign: name for name, sign in self._signs.items() if name in claims}}

    @cached_property
    def _undefined(self) -> dict[Demand, Scalar]:
        """For each condition for definedness (of a claim, or of the condition where the world may stop): its
        negation."""
        make = Scalars()
        claims = (demand for claim in self.lowered.claims for demand in claim.demands)
        demands = (*claims, *self.lowered.stopping_demands)
        return {demand: make.negation(demand.condition) for demand in demands}


EMPTY = "says nothing here: the constants of this world alone make it true"


def marked(
    verdict: ClaimVerdict, lowered: LoweredClaim, occurs: Callable[[Premise], bool], idle: Sequence[str]
) -> ClaimVerdict:
    """Return the verdict on a claim, marked if no state tested the claim, or a part of it.

    `occurs` says whether a premise is true in some state; `idle` names the variables that no step assigns.
    """
    if lowered.is_empty:
        return replace(verdict, sentence=EMPTY, is_empty=True)
    if verdict.result is not Result.HOLDS:
        return verdict
    untested = list(dict.fromkeys(premise.text for premise in lowered.premises if not occurs(premise)))
    read = variables_in(lowered.claim.condition)
    if read and read <= set(idle):
        why = f"no step assigns what it speaks of ({', '.join(sorted(read))})"
        return replace(verdict, sentence=f"{verdict.sentence}, but {why}", is_vacuous=True)
    if not untested:
        return verdict
    is_vacuous = not any(map(occurs, lowered.premises))
    more = f" (and {len(untested) - 1} more)" if len(untested) > 1 else ""
    why = f"{'nothing tests it' if is_vacuous else 'a part is not tested'}: no state has {untested[0]}{more}"
    return replace(verdict, sentence=f"{verdict.sentence}, but {why}", untested=tuple(untested), is_vacuous=is_vacuous)
