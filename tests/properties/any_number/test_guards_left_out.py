"""Where a guard is left out, what Z3 says is broken the runner breaks, and nothing is proved that is not so."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import replace

import pytest

from gridproof_model.language import ANY_NUMBER, ClaimKind, StepError
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Runner
from gridproof_properties.explorer import explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.any_number.cutoffs import at_a_small_size
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments.durability import argument as durability
from gridproof_properties.proofs.arguments.ownership import argument as ownership
from gridproof_properties.proofs.arguments.two_phase_commit import argument as two_phase_commit
from gridproof_properties.proofs.counterexample import Counterexample, nearest
from gridproof_properties.proofs.induction import Houdini, Reason
from gridproof_properties.proofs.prove import prove
from gridproof_properties.proofs.translation import SymbolicWorld

Left = tuple[int, int]
"""Which guard is left out: the number of its action, and its own."""


def guards_of(argument: Argument) -> list[Left]:
    return [(a, g) for a, one in enumerate(argument.specification.actions) for g in range(len(one.guards))]


def without_guard(argument: Argument, left: Left) -> Argument:
    action, guard = left
    careless = copy(argument.specification)
    careless.actions = list(careless.actions)
    guards = careless.actions[action].guards
    careless.actions[action] = replace(careless.actions[action], guards=guards[:guard] + guards[guard + 1 :])
    wrong = Argument(careless, proved_in=argument.proved_in, explored_in=())
    wrong.lemmas.extend(argument.lemmas)
    return wrong


GUARDS = guards_of(two_phase_commit)


@pytest.mark.parametrize("left", GUARDS)
def test_without_a_guard_nothing_is_proved_that_the_explorer_refutes(left: Left) -> None:
    argument = without_guard(two_phase_commit, left)
    proof = prove(argument, {"size": ANY_NUMBER})
    assert proof.for_any is not None

    explorations = [explore(argument.world({"size": size})) for size in (1, 2, 3)]

    assert all(one["manager"] in (1, 2, 3) for one in proof.for_any.cutoffs.values())
    assert not proof.for_any.gaps, "three managers show every violation, and at three there is none"
    for found in explorations:
        assert not {v.claim.name for v in found.verdicts if v.result is Result.BROKEN} & set(proof.for_any.proved)


def test_leaving_out_guards_is_noticed() -> None:
    always = {c.name for c in two_phase_commit.specification.claims if c.kind is ClaimKind.ALWAYS}
    tried = [prove(without_guard(two_phase_commit, left), {"size": ANY_NUMBER}) for left in GUARDS]

    assert sum(not all(map(proof.is_proved, always)) for proof in tried) >= len(GUARDS) // 3


def test_a_counterexample_to_what_lacks_a_guard_is_a_step_that_the_runner_takes() -> None:
    broken = [one for left in GUARDS for one in broken_by_the_runner(without_guard(two_phase_commit, left))]

    assert len(broken) >= len(GUARDS) // 3


@pytest.mark.nightly
@pytest.mark.parametrize("argument", [durability, ownership], ids=lambda argument: argument.specification.name)
def test_every_counterexample_to_what_lacks_a_guard_is_a_step_that_the_runner_takes(argument: Argument) -> None:
    guards = guards_of(argument)
    broken = [one for left in guards for one in broken_by_the_runner(without_guard(argument, left))]

    assert len(broken) >= len(guards) // 3


def broken_by_the_runner(argument: Argument) -> Iterator[str]:
    """Yield what a step breaks by Z3, each held against the runner."""
    small = at_a_small_size(argument, argument.proved_in[-1])
    world = SymbolicWorld(lower(argument.world(small)))
    always = (lowered for lowered in world.lowered.claims if lowered.claim.kind is ClaimKind.ALWAYS)
    candidates = {lowered.claim.name: world.claim(lowered) for lowered in always}
    for dropped in Houdini(world, candidates).run().dropped:
        if dropped.reason is Reason.NOT_PRESERVED:
            shown = nearest(world, dropped, candidates)
            assert shown is not None
            assert_that_the_runner_takes_it(shown, dropped.together_with)
            yield dropped.claim


def assert_that_the_runner_takes_it(shown: Counterexample, together_with: Iterable[str]) -> None:
    runner, claims = Runner(shown.world), {claim.name: claim for claim in shown.world.claims}

    assert runner.refusal(shown.before, shown.event) is None
    assert all(runner.holds(claims[name], shown.before) for name in together_with)
    assert runner.step(shown.before, shown.event) == shown.after
    with suppress(StepError):  # where it means nothing it does not hold
        assert not runner.holds(claims[shown.claim], shown.after)
