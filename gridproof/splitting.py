"""`gridproof measure --split`: what is too rare for plain runs, or too large to be explored."""

import argparse
import json
from typing import TYPE_CHECKING

from rich.markup import escape

from gridproof.console import FOLDED, NUMBER, WHOLE, new_table, open_console
from gridproof.errors import UsageError
from gridproof.progress import show_progress
from gridproof.specifications import only_worlds_that_exist
from gridproof.time_limit import INTERRUPTED, limited
from gridproof_model.language import World
from gridproof_properties.claims.named import Named
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.measuring import Predicate, Question
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import BATCHES, Split
from gridproof_properties.measuring.splitting import TRIALS, Splitter, level_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["TRIALS", "split"]
TRIALS_MAX = 1_000_000

Found = Split | str
"""A probability, or why there is none."""


def split(arguments: argparse.Namespace, named: Named, world: World, question: Question) -> int:
    """Estimate by splitting, print, and return 0 where every number is known."""
    if question.time_s is None:
        raise UsageError("--split needs a time to ask about: add --time, such as --time 1y")
    if question.together:
        raise UsageError("--split simulates actions one by one, and knows none that happen at once: leave out --split")
    if not 2 <= arguments.trials <= TRIALS_MAX:
        raise UsageError(f"--trials {arguments.trials}: from 2 to {TRIALS_MAX:,}")
    if arguments.seed < 0:
        raise UsageError(f"--seed {arguments.seed}: write a whole number of at least 0")
    with only_worlds_that_exist(named), show_progress(named.specification.name) as report:
        level = level_of(named.specification, world, arguments.split)
        splitter = Splitter(world, dict(question.rates), level, arguments.seed, arguments.trials, watch=report)
        found: dict[str, Found] = dict.fromkeys((one.name for one in question.predicates), INTERRUPTED)
        with limited():
            for goal in question.predicates:
                found[goal.name] = _found(splitter, goal, question.time_s)
    if arguments.json:
        print(json.dumps(_object(arguments, question, found)))
    else:
        _print(open_console(), arguments.split, question, found)
    return ExitStatus.UNKNOWN if any(isinstance(one, str) for one in found.values()) else ExitStatus.HOLDS


def _found(splitter: Splitter, goal: Predicate, time_s: float) -> Found:
    try:
        return splitter.probability(goal, time_s)
    except UnmeasurableError as reason:
        return str(reason)


def _print(console: "Console", level: str, question: Question, found: dict[str, Found]) -> None:
    columns = {"of": FOLDED, "probability within the time": NUMBER, "99 %": WHOLE}
    columns["from level to level, or why not"] = FOLDED
    table = new_table(escape(f"{question.world.title}, by splitting at {level}"), columns)
    for name, one in found.items():
        if isinstance(one, str):
            table.add_row(name, "unknown", "", escape(one))
        else:
            table.add_row(name, f"{one.value:.3g}", f"{one.low:.3g} to {one.high:.3g}", one.way_to("the goal"))
    console.print(table)
    for one in found.values():
        if isinstance(one, Split):
            console.print(
                f"{one.of}: {one.trials:,} trials in {BATCHES} batches, {one.steps:,} steps, {one.seconds:.1f} s; "
                f"as narrow by plain runs: about {one.plain_runs:,.0f}",
                soft_wrap=True,
            )


def _object(arguments: argparse.Namespace, question: Question, found: dict[str, Found]) -> dict[str, object]:
    return {
        "specification": question.world.name,
        "world": question.world.title,
        "time_s": question.time_s,
        "split": arguments.split,
        "seed": arguments.seed,
        "measures": [_measure_object(name, one) for name, one in found.items()],
    }


def _measure_object(name: str, one: Found) -> dict[str, object]:
    if isinstance(one, str):
        return {"of": name, "value": None, "unknown": one}
    return {
        "of": name,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "method": "splitting",
        "levels": list(one.levels),
        "shares": list(one.shares),
        "trials": one.trials,
        "steps": one.steps,
        "seconds": round(one.seconds, 3),
        "unknown": None,
    }
