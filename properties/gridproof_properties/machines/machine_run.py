"""One test run of a state machine over a grid.

Keeps what the examples of the run have compared and the failures they met, and reports in the end: the shortest program
that fails, as Python, with the verdict; or what was promised and never compared, for nothing seen is not green. It says
where the adapter is imported from.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from hypothesis import HealthCheck, Phase, Verbosity, settings

from gridproof_implementation.adapter import Adapter
from gridproof_implementation.guard import Guard
from gridproof_implementation.trace import TraceFormat, write_trace
from gridproof_model.trace import Record
from gridproof_model.whole_file import write_whole
from gridproof_properties.judging.verdict import Reason, Verdict
from gridproof_properties.judging.words import count
from gridproof_properties.machines.judged import BrokenPromiseError, describe_broken, judge_promised
from gridproof_properties.machines.program import Program, write_python
from gridproof_properties.machines.shortest import Outcome, find_shortest, run_program

REPETITIONS = 3
"""How often a program that failed on a grid that is not repeatable is run again."""
IN_PROCESS_EXAMPLES, IN_PROCESS_STEPS = 1_000, 20
"""How much is tried of a grid that is repeatable; more examples where the present Hypothesis profile has more."""
LIVE_EXAMPLES, LIVE_STEPS = 20, 12
"""And of one that is not: its members are processes."""


class AdapterStoppedError(AssertionError):
    """The adapter failed; the message is its one line, and the calls that led there."""

    is_described_whole = True


class BrokenProgramError(BrokenPromiseError):
    """A promise was broken; the message is the shortest program found, and the verdict with its witness."""

    is_described_whole = True


class NothingComparedError(AssertionError):
    """No promised property was ever compared: the run says nothing."""

    is_described_whole = True


class NeverMetWarning(UserWarning):
    """A property is promised, and no example compared it: of it the run says nothing."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that failed, and all that was recorded of it."""

    outcome: Outcome
    records: tuple[Record, ...]
    begins: tuple[int, ...]
    """How many of them there were before each step."""

    def until_broken(self, adapter: Adapter) -> Outcome:
        """Return the shortest beginning of what happened that breaks a promise, judged by its own records."""
        program = self.outcome.program
        for length, end in enumerate((*self.begins[1:], len(self.records)), 1):
            broken = judge_promised(self.records[:end], adapter, program.options)
            if broken:
                answers = {place: answer for place, answer in program.answers.items() if place < length}
                return Outcome(replace(program, steps=program.steps[:length], answers=answers), broken)
        return self.outcome


class Example(Protocol):
    """A machine that is at work."""

    def program_so_far(self) -> Program:
        """Return what it has done until now."""
        ...


@dataclass(slots=True)
class MachineRun:
    """What the examples of one test run came to."""

    guard: Guard
    examples: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """Comparisons that could have failed, by promised property, in all examples."""
    judges_failed: dict[str, str] = field(default_factory=dict)
    """Why a judge broke down, by property."""
    latest: Failure | None = None
    """The failure met last: of several, Hypothesis repeats the simplest in the end."""
    present: Example | None = None
    """The present one."""

    def count(self, verdicts: Sequence[Verdict]) -> None:
        """Take in the verdicts of an example."""
        self.examples += 1
        for verdict in verdicts:
            self.compared[verdict.property] += verdict.compared
            if verdict.reason is Reason.JUDGE_FAILED:
                self.judges_failed[verdict.property] = verdict.sentence

    def raise_found(self, adapter: Adapter, keep: Path | None) -> None:
        """Raise what was found, as short as it gets and described whole; nothing where nothing was."""
        failure = self.latest
        if failure is None:
            return
        outcome, often = failure.outcome, ""
        if outcome.broken:
            outcome = failure.until_broken(adapter)
        if adapter.repeatable:
            outcome = find_shortest(outcome, adapter, self.guard)
        elif outcome.broken:
            often = self._repeat(outcome, adapter)
            keep = keep or Path("gridproof-failures")
        if outcome.stopped:
            raise AdapterStoppedError(describe_stopped(outcome.stopped, outcome.program, adapter))
        verdict = describe_broken(adapter, outcome.broken)
        text = write_python(outcome.program, find_home(adapter))
        lines = [verdict, *([often] if often else []), "", "the shortest program that was found to do it:", "", text]
        if keep is not None:
            noted = write_python(outcome.program, find_home(adapter), verdict.split("\n"))
            lines.append(f"kept, with all that was recorded: {_keep(noted, failure.records, adapter, keep)}")
        raise BrokenProgramError("\n".join(lines))

    def _repeat(self, outcome: Outcome, adapter: Adapter) -> str:
        again = [run_program(replace(outcome.program, answers={}), adapter, self.guard) for _ in range(REPETITIONS)]
        first = outcome.broken[0].property
        broken = sum(one is not None and any(v.property == first for v in one.broken) for one in again)
        return f"run again {count(REPETITIONS, 'time')}, it was broken in {broken}"

    def raise_unless_compared(self, adapter: Adapter, promised: Sequence[str]) -> None:
        """Raise NothingComparedError where no promise was compared, or a judge failed; warn of each never compared."""
        if self.judges_failed:
            name, why = next(iter(self.judges_failed.items()))
            raise NothingComparedError(f"{adapter.name}: {name} is unknown: {why}")
        unmet = [name for name in promised if not self.compared[name]]
        if len(unmet) == len(promised):
            what = "it promises nothing: name properties in its `promises`" if not promised else ", ".join(unmet)
            raise NothingComparedError(
                f"{adapter.name}: no promise was compared in {count(self.examples, 'example')}: {what}"
            )
        if unmet:
            answer = f"{adapter.name}: promised, never met in {count(self.examples, 'example')}: {', '.join(unmet)}"
            warnings.warn(NeverMetWarning(answer), stacklevel=2)


def settings_for(adapter: Adapter) -> settings:
    """Return how much Hypothesis tries, on top of the present profile.

    A grid that is not repeatable gets tens of examples, and what fails is not shrunk: it would not fail every time.
    """
    quiet = settings(
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    if adapter.repeatable:
        # Explaining traces every line, and a program is made shorter in a tenth of the time that shrinking takes.
        phases = set(Phase) - {Phase.explain, Phase.shrink}
        examples = max(IN_PROCESS_EXAMPLES, quiet.max_examples)
        return settings(quiet, max_examples=examples, stateful_step_count=IN_PROCESS_STEPS, phases=phases)
    phases = {Phase.explicit, Phase.generate}
    return settings(quiet, max_examples=LIVE_EXAMPLES, stateful_step_count=LIVE_STEPS, phases=phases, database=None)


def describe_stopped(line: str, program: Program | None, adapter: Adapter) -> str:
    """Return the one line of an adapter that failed, with the calls that led there."""
    if program is None or not program.steps:
        return line
    return f"{line}\n\nthe calls that led there:\n\n{write_python(program, find_home(adapter))}"


def _keep(text: str, records: Sequence[Record], adapter: Adapter, folder: Path) -> Path:
    """Write a program, and beside it the trace of the run that failed; return the program's file."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{adapter.name}-{sha256(text.encode()).hexdigest()[:8]}"
    with write_trace(folder / f"{name}.jsonl", TraceFormat.JSON_LINES) as trace:
        for record in records:
            trace.write(record)
    return write_whole(folder / f"{name}.py", text)


def find_home(adapter: Adapter) -> tuple[str, str] | None:
    """Return the module of an adapter and its name there, None where no module has it by a name.

    The module of what opens it is looked at first: it is where adapters are written.
    """
    own = getattr(adapter.open, "__module__", "")
    for module in dict.fromkeys([own, *sys.modules]):
        for name, found in list(vars(sys.modules[module]).items()) if module in sys.modules else ():
            if found is adapter and name.isidentifier():
                return module, name
    return None
