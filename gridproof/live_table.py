"""What faults did to a live system, as tables."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gridproof.live_check import PlayedScenario, summary
from gridproof_model.trace import Outcome
from gridproof_properties.campaign.live import describe_faults
from gridproof_properties.judging.words import count


def print_played(console: Console, title: str, played: Sequence[PlayedScenario]) -> None:
    """Print a line a scenario, then what each kind of fault did."""
    table = Table(title=title, title_justify="left")
    for heading in ("seed", "faults"):
        table.add_column(heading, overflow="fold")
    for heading in ("done", "refused", "unknown", "silent s"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("acknowledged and lost", overflow="fold")
    table.add_column("promises broken", no_wrap=True)
    for one in played:
        run = one.runs[0]
        counts = [f"{run.cost.outcomes[outcome]:,}" for outcome in (Outcome.OK, Outcome.REFUSED, Outcome.UNKNOWN)]
        broken = one.describe_broken().replace(", ", "\n") or (f"stopped: {run.stopped}" if run.stopped else "none")
        silent = f"{run.cost.silent_ms / 1_000:.1f}"
        table.add_row(
            str(one.scenario.seed), describe_faults(one.scenario), *counts, silent, run.cost.losses.describe(), broken
        )
    console.print(table)
    _print_by_fault(console, played)
    for one in played:
        if one.file is not None:
            console.print(f"again: gridproof check --scenario {one.file}", soft_wrap=True)
        if one.small is not None:
            small = one.small.found
            what = f"{count(small.operations, 'operation')}; {describe_faults(small.scenario)}"
            often = f"{small.promise} broken {small.broken} of {small.played} times"
            console.print(f"made small: {what}: {often}", soft_wrap=True)
            console.print(f"again: gridproof check --scenario {one.small.file}", soft_wrap=True)


def _print_by_fault(console: Console, played: Sequence[PlayedScenario]) -> None:
    table = Table(title="by fault", title_justify="left")
    for heading in (
        "fault",
        "scenarios",
        "struck",
        "struck nobody",
        "lost writes",
        "of acknowledged",
        "broken, promised or not: in how many",
    ):
        table.add_column(heading, overflow="fold")
    for name, counts in summary(played).items():
        broken = [f"{key.removeprefix('broken: ')} {n}" for key, n in counts.items() if key.startswith("broken: ")]
        figures = (
            counts[key] for key in ("scenarios", "struck", "struck nobody", "lost writes", "acknowledged writes")
        )
        table.add_row(name, *(f"{figure:,}" for figure in figures), ", ".join(broken) or "nothing")
    console.print(table)
