"""Steps by compiled actions, against the run reading.

Both take the same steps, those of random behaviours of the specifications that runs are validated by, in turn; the best
turn of each counts. It is what argues for compiling actions: validation of one run takes thousands of steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from timeit import repeat

from gridproof_model.language import Specification, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.invocation import specification as invocation
from gridproof_model.specifications.ownership import specification as ownership
from gridproof_model.specifications.replication import specification as replication
from gridproof_model.specifications.snapshot import specification as snapshot

_BEHAVIOURS = 10
_LENGTH = 30
_TURNS = 7


@dataclass(frozen=True, slots=True)
class Measured:
    """What a step of one specification takes, in microseconds of each of the two."""

    name: str
    compiled_us: float
    plain_us: float

    def __str__(self) -> str:
        return (
            f"{self.name:>8}  compiled {self.compiled_us:5.2f} us a step   run reading {self.plain_us:5.2f} us   "
            f"{self.plain_us / self.compiled_us:4.1f} times as long"
        )


def measure(specification: Specification) -> Measured:
    """Measure the steps of one specification; AssertionError where the two disagree about one."""
    runner, name = Runner(specification.world()), specification.name
    steps = _steps(runner)
    assert [runner.after(*step) for step in steps] == [runner.step(*step) for step in steps], name
    return Measured(name, _us_a_step(runner.after, steps), _us_a_step(runner.step, steps))


def main() -> None:
    """Print what a step takes of both, and their ratio."""
    for specification in (replication, ownership, invocation, snapshot):
        print(measure(specification))


def _steps(runner: Runner) -> Sequence[tuple[State, Event]]:
    """Return the steps of some behaviours: the state before, and what happens."""
    found: list[tuple[State, Event]] = []
    for seed in range(_BEHAVIOURS):
        behaviour = list(runner.walk(Random(seed), _LENGTH))
        found += [(before, event) for (_, before), (event, _) in pairwise(behaviour) if event is not None]
    return found


def _us_a_step(take: Callable[[State, Event], object], steps: Sequence[tuple[State, Event]]) -> float:
    def work() -> None:
        for state, event in steps:
            take(state, event)

    return min(repeat(work, number=1, repeat=_TURNS)) / len(steps) * 1e6


if __name__ == "__main__":
    main()
