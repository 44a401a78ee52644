"""Makes a failing program as short as possible.

Steps are left out as long as the rest of the program is allowed and, run again on a fresh grid, still breaks a promise.
Nothing is concluded from the records alone: each program that is kept has failed in a run of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from gridproof_implementation.adapter import Adapter, AdapterError
from gridproof_implementation.guard import Guard
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.machines.judged import broken_in, watch
from gridproof_properties.machines.program import (
    FEW_KEYS,
    Members,
    Program,
    Settle,
    Step,
    UnknownMemberError,
    Wait,
    is_allowed,
    keys_of,
    renamed,
    take,
    tidy,
)

TRIES_MAX = 1_500
"""How many programs are run at most in the search for a shorter program."""
SEARCH_S = 60.0
"""How long the search may take, in seconds; this is the limit that counts on a slow grid."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of running a program: its answers, the promises that it broke, or how the adapter failed."""

    program: Program
    broken: tuple[Verdict, ...] = ()
    stopped: str = ""
    """The line that the adapter gave when it failed; empty if it did not fail."""

    @property
    def method(self) -> str:
        """The name of the method in which the adapter failed, taken from its line; empty if it did not fail."""
        return self.stopped.split("(")[0]

    def is_like(self, other: "Outcome") -> bool:
        """Whether both outcomes break a promise, or the adapter fails in both in the same method."""
        return self.method == other.method and bool(self.broken) == bool(other.broken)


def run_program(program: Program, adapter: Adapter, guard: Guard) -> Outcome | None:
    """Run a program on a fresh grid and return the outcome; None if the program cannot be run."""
    members: Members = {}
    answers: dict[int, str] = {}
    try:
        with watch(adapter, program.options, guard) as watched:
            for place, step in enumerate(program.steps):
                answer = take(step, watched.grid, members)
                if answer:
                    answers[place] = answer
    except UnknownMemberError:
        return None
    except AdapterError as error:
        return Outcome(replace(program, answers=answers), stopped=str(error))
    return Outcome(replace(program, answers=answers), broken_in(watched.panel.conclude()))


def find_shortest(outcome: Outcome, adapter: Adapter, guard: Guard) -> Outcome:
    """Return the shortest outcome found that breaks a promise, perhaps another promise; if `outcome` does not occur
    again, return `outcome`."""
    search = _Search(outcome, adapter, guard)
    if not search.attempt(outcome.program.steps):
        return outcome
    search.leave_out_blocks()
    while search.leave_out_and_rename():
        pass
    search.simplify()
    search.attempt(tidy(search.best.program).steps)
    return search.best


@dataclass(slots=True)
class _Search:
    """The outcome of the shortest program so far, and the ways to find a shorter program."""

    best: Outcome
    adapter: Adapter
    guard: Guard
    tries: int = 0
    until_s: float = field(default_factory=lambda: monotonic() + SEARCH_S)

    def attempt(self, steps: Sequence[Step]) -> bool:
        """Run other steps; if they fail, too, they become the shortest so far."""
        is_over = self.tries >= TRIES_MAX or monotonic() > self.until_s
        if is_over or not is_allowed(steps, self.best.program.options.backup_count):
            return False
        self.tries += 1
        program = replace(self.best.program, steps=tuple(steps), answers={})
        found = run_program(program, self.adapter, self.guard)
        if found is None or not found.is_like(self.best):
            return False
        self.best = found
        return True

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the shortest program so far."""
        return self.best.program.steps

    def leave_out_blocks(self) -> None:
        """Leave out blocks of steps, long blocks first and from the end, as long as some block can be left out."""
        length = len(self.steps)
        while length >= 1:
            is_shorter, end = False, len(self.steps)
            while end > 0:
                begin = max(0, end - length)
                is_shorter |= self.attempt([*self.steps[:begin], *self.steps[end:]])
                end = begin
            length = length if is_shorter and length <= len(self.steps) else length // 2

    def leave_out_and_rename(self) -> bool:
        """Leave out a block and rename a key at once: with fewer members, the program may fail only with another key.

        Return whether the program got shorter.
        """
        count = len(self.steps)
        for length in range(count, 0, -1):
            for begin in range(count - length + 1):
                left = [*self.steps[:begin], *self.steps[begin + length :]]
                if not is_allowed(left, self.best.program.options.backup_count):
                    continue
                if any(self.attempt(renamed(left, old, new)) for old in keys_of(left) for new in FEW_KEYS):
                    return True
        return False

    def simplify(self) -> None:
        """Replace timed waits by waits for rest, use the first possible names for keys, and shorten waits."""
        waits = [place for place, step in enumerate(self.steps) if isinstance(step, Wait)]
        settled = [self._replace(place, Settle()) for place in waits]
        if any(settled):
            self.leave_out_blocks()
        for old in keys_of(self.steps):
            before = FEW_KEYS[: FEW_KEYS.index(old)] if old in FEW_KEYS else FEW_KEYS
            any(self.attempt(renamed(self.steps, old, new)) for new in before)
        for place, step in enumerate(self.steps):
            if isinstance(step, Wait):
                any(self._replace(place, Wait(time_ms)) for time_ms in (1, 10, 100) if time_ms < step.duration_ms)

    def _replace(self, place: int, step: Step) -> bool:
        return self.attempt([*self.steps[:place], step, *self.steps[place + 1 :]])
