"""A claim that nothing tests is marked as such."""

from collections.abc import Iterator

from hypothesis import assume, given, reject, settings

from gridproof_model.language import Bool, BoolExpr, Int, IntExpr, LeadsTo, Specification, State, Step, all_of, leads_to
from gridproof_model.language.evaluate import Environment, evaluator
from gridproof_model.language.run import Runner
from gridproof_model.language.specification import variables_in
from gridproof_model.language.tree import Applied, Node, Operation, Operator, Quantified, Quantifier
from gridproof_model.language.values import values_of
from gridproof_properties.explorer import ClaimVerdict, explore
from gridproof_properties.judging.verdict import Result
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import is_defined, lowered_or_skip

STATES_MAX = 200
Premises = tuple[tuple[Node, Environment], ...]
"""Expressions, each with what quantifiers around it bind."""


def ladder() -> tuple[Specification, IntExpr, BoolExpr]:
    """Return a ladder with a lamp that nobody lights, and an action that is never possible."""
    specification = Specification("ladder", "A ladder.", source="drawn")
    level = specification.variable("level", Int(0, 3), "The level.")
    lamp = specification.variable("lamp", Bool(), "A lamp.")
    specification.may_stop(lambda: level == 3)

    @specification.action(source="drawn", fair=True)
    def climb() -> Step:
        """Go up one step."""
        return Step(when=[level < 3], then=[level.becomes(level + 1)])

    @specification.action(source="drawn")
    def light() -> Step:
        """Light the lamp above the top."""
        return Step(when=[level > 3], then=[lamp.becomes(True)])

    return specification, level, lamp


def verdict_on(specification: Specification, condition: BoolExpr | LeadsTo) -> ClaimVerdict:
    """Explore with one claim more, an eventually where it leads to something."""

    def claim() -> BoolExpr | LeadsTo:
        """It is so."""
        return condition

    take = specification.eventually if isinstance(condition, LeadsTo) else specification.always
    take(source="drawn")(claim)  # type: ignore[arg-type]
    return explore(specification.world()).verdict("claim")


def test_a_promise_whose_trigger_never_holds_is_vacuous() -> None:
    specification, level, lamp = ladder()
    verdict = verdict_on(specification, leads_to(lamp & (level == 1), level == 3))

    assert (verdict.word, verdict.untested) == ("vacuous", ("lamp and level = 1",))
    assert verdict.result is Result.HOLDS


def test_a_promise_that_is_triggered_holds() -> None:
    specification, level, _ = ladder()

    assert verdict_on(specification, leads_to(level == 1, level == 3)).word == "holds"


def test_an_implication_that_is_never_triggered_is_vacuous() -> None:
    specification, level, lamp = ladder()

    assert verdict_on(specification, (lamp & (level == 2)).implies(level == 3)).word == "vacuous"


def test_an_implication_that_is_never_triggered_beside_another_is_reported() -> None:
    specification, level, lamp = ladder()
    verdict = verdict_on(specification, all_of((level == 1).implies(level < 2), lamp.implies(level == 3)))

    assert verdict.word == "holds"
    assert verdict.sentence == "holds in all 4 states, but a part is not tested: no state has lamp"


def test_a_claim_about_what_no_step_assigns_is_vacuous() -> None:
    specification, _, lamp = ladder()
    verdict = verdict_on(specification, ~lamp)

    assert verdict.sentence == "holds in all 4 states, but no step assigns what it speaks of (lamp)"


def test_what_never_happens_is_reported() -> None:
    found = explore(ladder()[0].world())

    assert (found.never_possible, found.never_assigned) == (("light",), ("lamp",))


def test_before_every_state_was_seen_nothing_is_called_vacuous() -> None:
    specification, level, lamp = ladder()

    @specification.sometimes(source="drawn")
    def it_starts() -> BoolExpr:
        """It is dark at the start."""
        return ~lamp & (level == 0)

    assert explore(specification.world(), memory_bytes=1).verdict("it_starts").untested == ()


@settings(max_examples=examples(40), suppress_health_check=FILTERED)
@given(specifications(with_progress=True))
def test_what_is_untested_is_the_oracles(specification: Specification) -> None:
    exploration = explore(lowered_or_skip(specification).world)
    assume(is_defined(exploration) and exploration.states <= STATES_MAX)
    runner = Runner(exploration.world)
    states = reached(runner)

    for verdict in exploration.judged:
        if verdict.result is Result.HOLDS and not set(exploration.never_assigned) & reads(verdict):
            trigger, condition = verdict.claim.trigger, verdict.claim.condition
            asked = parts(condition, {}, ()) if trigger is None else [((trigger, {}),)]
            assert verdict.is_vacuous is not any(holds_all(runner, one, state) for one in asked for state in states)


def reads(verdict: ClaimVerdict) -> set[str]:
    return set(variables_in(verdict.claim.condition))


def reached(runner: Runner) -> list[State]:
    """Return every state, by the run reading alone."""
    frontier = list(dict.fromkeys(runner.initial_states()))
    seen = dict.fromkeys(frontier)
    while frontier:
        state = frontier.pop()
        for event in runner.events(state):
            after = runner.step(state, event)
            if after not in seen:
                seen[after] = None
                frontier.append(after)
    return list(seen)


def holds_all(runner: Runner, premises: Premises, state: State) -> bool:
    return all(evaluator(premise, runner.world.names)(state.values, bound) for premise, bound in premises)


def parts(node: Node, bound: Environment, given: Premises) -> Iterator[Premises]:
    """Yield the premises of every assertion in a condition, with what quantifiers bind; definitions are passed over."""
    match node:
        case Operation(operator=Operator.AND, operands=operands):
            for operand in operands:
                yield from parts(operand, bound, given)
        case Operation(operator=Operator.IMPLIES, operands=(premise, conclusion)):
            yield (*given, (premise, bound))
            yield from parts(conclusion, bound, (*given, (premise, bound)))
        case Quantified(quantifier=Quantifier.ALL):
            for value in values_of(node.bound.domain):
                yield from parts(node.body, {**bound, node.bound.name: value}, given)
        case Applied():
            reject()
        case _:
            yield from () if given else ((),)
