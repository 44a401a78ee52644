"""One test run of a state machine that drives grids.

The run keeps what its examples have compared and the failures that they met, and reports at the end: the shortest
program that fails, in Python, with the verdict; or the promises that were never compared, as a run that saw nothing
must not pass. The report also says from which module the adapter can be imported.
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
"""How often a program that failed is run again, if its grid is not repeatable."""
IN_PROCESS_EXAMPLES, IN_PROCESS_STEPS = 1_000, 20
"""How much is tried on a repeatable grid; there are more examples if the present Hypothesis profile has more."""
LIVE_EXAMPLES, LIVE_STEPS = 20, 12
"""How many examples and steps are tried on a grid that is not repeatable: its members are processes."""


class AdapterStoppedError(AssertionError):
    """Raised if the adapter failed; the message is the adapter's line, with the calls that led to the failure."""

    is_described_whole = True


class BrokenProgramError(BrokenPromiseError):
    """Raised if a promise was broken; the message is the shortest program found, with the verdict and its witness."""

    is_described_whole = True


class NothingComparedError(AssertionError):
    """Raised if no promised property was ever compared: then the run shows nothing."""

    is_described_whole = True


class NeverMetWarning(UserWarning):
    """Warns that no example compared a promised property: the run shows nothing about it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that failed, with all its records."""

    outcome: Outcome
    records: tuple[Record, ...]
    begins: tuple[int, ...]
    """For each step, the number of records before it."""

    def until_broken(self, adapter: Adapter) -> Outcome:
        """Return the shortest beginning of the example that breaks a promise, judged by its own records."""
        program = self.outcome.program
        for length, end in enumerate((*self.begins[1:], len(self.records)), 1):
            broken = judge_promised(self.records[:end], adapter, program.options)
            if broken:
                answers = {place: answer for place, answer in program.answers.items() if place < length}
                return Outcome(replace(program, steps=program.steps[:length], answers=answers), broken)
        return self.outcome


class Example(Protocol):
    """A machine that is running an example."""

    def program_so_far(self) -> Program:
        """Return the program of the steps that the example has taken so far."""
        ...


@dataclass(slots=True)
class MachineRun:
    """The results of all examples of one test run."""

    guard: Guard
    examples: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """For each promised property, the number of comparisons in all examples that could have failed."""
    judges_failed: dict[str, str] = field(default_factory=dict)
    """For each property whose judge failed, the reason."""
    latest: Failure | None = None
    """The latest failure: Hypothesis ends with the simplest one."""
    present: Example | None = None
    """The example that is running now."""

    def count(self, verdicts: Sequence[Verdict]) -> None:
        """Record the verdicts on an example."""
        self.examples += 1
        for verdict in verdicts:
            self.compared[verdict.property] += verdict.compared
            if verdict.reason is Reason.JUDGE_FAILED:
                self.judges_failed[verdict.property] = verdict.sentence

    def raise_found(self, adapter: Adapter, keep: Path | None) -> None:
        """Raise the failure that was found, shortened and fully described; do nothing if none was found."""
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
        """Raise NothingComparedError if no promise was compared, or if a judge failed; warn of each promise never
        compared."""
        if self.judges_failed:
            name, why = next(iter(self.judges_failed.items()))
            raise NothingComparedError(f"{adapter.name}: the verdict on {name} is unknown: {why}")
        unmet = [name for name in promised if not self.compared[name]]
        if len(unmet) == len(promised):
            what = f"{', '.join(unmet)}; draw more examples"
            what = what if promised else "nothing: name properties in its `promises`"
            raise NothingComparedError(
                f"{adapter.name}: no promise was compared in {count(self.examples, 'example')}: it promises {what}"
            )
        if unmet:
            answer = f"{adapter.name}: promised, never met in {count(self.examples, 'example')}: {', '.join(unmet)}"
            warnings.warn(NeverMetWarning(answer), stacklevel=2)


def settings_for(adapter: Adapter) -> settings:
    """Return how much Hypothesis tries, as changes to the present profile.

    A grid that is not repeatable gets only tens of examples, and failures are not shrunk, as they do not always recur.
    """
    quiet = settings(
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    if adapter.repeatable:
        # Hypothesis's explain phase is left out, as it traces every line.
        # Hypothesis's shrinking is left out: gridproof shortens a program itself, in a tenth of the time.
        phases = set(Phase) - {Phase.explain, Phase.shrink}
        examples = max(IN_PROCESS_EXAMPLES, quiet.max_examples)
        return settings(quiet, max_examples=examples, stateful_step_count=IN_PROCESS_STEPS, phases=phases)
    phases = {Phase.explicit, Phase.generate}
    return settings(quiet, max_examples=LIVE_EXAMPLES, stateful_step_count=LIVE_STEPS, phases=phases, database=None)


def describe_stopped(line: str, program: Program | None, adapter: Adapter) -> str:
    """Return the line that a failed adapter gave, with the calls that led to the failure."""
    if program is None or not program.steps:
        return line
    return f"{line}\n\nthe calls that led there:\n\n{write_python(program, find_home(adapter))}"


def _keep(text: str, records: Sequence[Record], adapter: Adapter, folder: Path) -> Path:
    """Write a program, and next to it the trace of the failed run; return the file of the program."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{adapter.name}-{sha256(text.encode()).hexdigest()[:8]}"
    with write_trace(folder / f"{name}.jsonl", TraceFormat.JSON_LINES) as trace:
        for record in records:
            trace.write(record)
    return write_whole(folder / f"{name}.py", text)


def find_home(adapter: Adapter) -> tuple[str, str] | None:
    """Return the module of an adapter and its name in that module; None if no module has a name for it.

    The module of the function that opens the grid is searched first, as adapters are usually defined there.
    """
    own = getattr(adapter.open, "__module__", "")
    for module in dict.fromkeys([own, *sys.modules]):
        for name, found in list(vars(sys.modules[module]).items()) if module in sys.modules else ():
            if found is adapter and name.isidentifier():
                return module, name
    return None
