"""What faults did to a live system, as tables that fit a terminal of 80 columns."""

from collections.abc import Sequence

from rich.console import Console

from gridproof.console import FOLDED, NUMBER, WHOLE, new_table, shown
from gridproof.live_check import PlayedScenario, summary
from gridproof_model.trace import Outcome
from gridproof_properties.campaign.live import describe_faults
from gridproof_properties.judging.words import count

LATE_SHARE = 0.75
"""Of the operations of a scenario: clients that wait for answers come to fewer than that, and it is said."""


def print_played(console: Console, title: str, played: Sequence[PlayedScenario], again: str) -> None:
    """Print a line a scenario, what each fault changed and what is lost, then what each kind of fault did."""
    numbers = dict.fromkeys(("seed", "done", "refused", "unknown", "silent s", "held to"), NUMBER)
    table = new_table(title, {**numbers, "promises broken": FOLDED})
    for one in played:
        run = one.runs[0]
        counts = [f"{run.cost.outcomes[outcome]:,}" for outcome in (Outcome.OK, Outcome.REFUSED, Outcome.UNKNOWN)]
        broken = one.describe_broken().replace(", ", "\n") or (f"stopped: {run.stopped}" if run.stopped else "none")
        silent, held = f"{run.cost.silent_ms / 1_000:.1f}", "{} of {}".format(*run.held)
        table.add_row(str(one.scenario.seed), *counts, silent, held, broken)
    console.print(table)
    for one in played:
        _print_run(console, one)
    _print_by_fault(console, played)
    for one in (one for one in played if one.fails):
        console.print(f"again: {again} {one.file}", soft_wrap=True)
        if one.small is not None:
            small = one.small
            what = f"{count(small.scenario.operation_count, 'operation')}; {describe_faults(small.scenario)}"
            often = f"{small.promise} broken {small.broken} of {small.played} times"
            console.print(f"made small: {what}: {often}", soft_wrap=True)
            console.print(f"again: {again} {small.file}", soft_wrap=True)


def _print_run(console: Console, one: PlayedScenario) -> None:
    """Print what the faults of a scenario were and changed, what it lost, and of what kind its history is."""
    cost, name = one.runs[0].cost, f"seed {one.scenario.seed}"
    console.print(f"{name}: {shown(describe_faults(one.scenario))}", soft_wrap=True)
    for effect in cost.over_time.effects():
        span = effect.span
        at = f"{span.begin_ms / 1_000:.1f} to {span.heal_ms / 1_000:.1f} s"
        console.print(f"{name}, {at}, {span.fault}: {effect.describe()}", soft_wrap=True)
    console.print(f"{name}: acknowledged and lost: {shown(cost.losses.describe())}", soft_wrap=True)
    done = cost.outcomes.total()
    asked = one.scenario.operation_count
    less = f"; {asked:,} were to be asked, and clients waited for answers" if done < LATE_SHARE * asked else ""
    history = cost.overlap.describe()
    said = f"the history is {history}{less}" if history else f"none of {asked:,} operations was asked for"
    console.print(f"{name}: {said}", soft_wrap=True)


def _print_by_fault(console: Console, played: Sequence[PlayedScenario]) -> None:
    found = summary(played)
    columns = {"runs": "scenarios", "struck": "struck", "struck nobody": "struck nobody", "lost": "lost writes"}
    columns |= {"of": "acknowledged writes"}
    table = new_table("by fault", {"fault": WHOLE, **dict.fromkeys(columns, NUMBER)})
    for name, counts in found.items():
        table.add_row(name, *(f"{counts[key]:,}" for key in columns.values()))
    console.print(table)
    for name, counts in found.items():
        broken = [f"{key.removeprefix('broken: ')} {n}" for key, n in counts.items() if key.startswith("broken: ")]
        said = ", ".join(broken) or "nothing"
        console.print(f"{name}: broken, promised or not, in how many runs: {said}", soft_wrap=True)
