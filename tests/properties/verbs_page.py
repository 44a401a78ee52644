"""The page docs/verbs-and-moments.md: which lies about a verb at a moment each driver finds.

`python -m tests.properties.verbs_page docs/verbs-and-moments.md [DRIVER ...]` tries every cell of the drivers named, or
of all that have a table there, and writes these anew: a few minutes of work. Tests hold some by day, all by night.
"""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gridproof_model.whole_file import write_whole
from tests.properties.live_verbs import runs_status
from tests.properties.simulated_verbs import simulate_status
from tests.properties.verbs_and_moments import Lie, Moment, Verb, check_status, machine_finds, toy

FOUND = "found"
NEVER_CUT = "no cut"
"""The port has no verb by which the members of a grid are cut off from each other."""


def _by_check(cell: Lie) -> str:
    if cell.moment is Moment.CUT:
        return NEVER_CUT
    return FOUND if check_status(toy(cell)) == 1 else "missed"


def _by_machine(cell: Lie) -> str:
    if cell.moment is Moment.CUT:
        return NEVER_CUT
    return FOUND if machine_finds(toy(cell)) else "missed"


def _by_simulate(cell: Lie) -> str:
    return FOUND if simulate_status(cell)[0] == 1 else "missed"


def _by_runs(cell: Lie) -> str:
    return FOUND if runs_status(cell) == 1 else "missed"


DRIVERS: Mapping[str, Callable[[Lie], str]] = {
    "check": _by_check, "simulate": _by_simulate, "machine": _by_machine, "runs": _by_runs
}  # fmt: skip
AT_ONCE: Mapping[str, int] = {"runs": 4}
"""Cells that are tried at once: real processes wait most of the time."""
TITLES = {
    "check": "`gridproof check`, of a toy that answers wrongly only there",
    "simulate": "`gridproof simulate`, of members of the reference that execute wrongly only there",
    "machine": "the state machine of a toy that answers wrongly only there",
    "runs": "`gridproof check --runs`, of processes that answer wrongly only there",
}


def renewed(page: str, drivers: list[str]) -> str:
    """Return the page with the tables of some drivers made anew."""
    for driver in drivers or [one for one in DRIVERS if _marks(one)[0] in page]:
        begin, end = _marks(driver)
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n{_table(driver)}{end}{after}"
    return page


def table_in(page: str, driver: str) -> Mapping[Lie, str]:
    """Return what the page says of each cell."""
    begin, end = _marks(driver)
    lines = [line for line in page.partition(begin)[2].partition(end)[0].splitlines() if line.startswith("| ")]
    rows = [[one.strip() for one in line.strip("|").split("|")] for line in lines[1:]]
    return {Lie(Verb(row[0]), moment): one for row in rows for moment, one in zip(Moment, row[1:], strict=True)}


def _marks(driver: str) -> tuple[str, str]:
    return f"<!-- {driver}: begin -->", f"<!-- {driver}: end -->"


def _table(driver: str) -> str:
    lines = [f"## {TITLES[driver]}", "", f"| verb | {' | '.join(Moment)} |", f"|---{'|---' * len(Moment)}|"]

    def tried(cell: Lie) -> str:
        found = DRIVERS[driver](cell)
        print(driver, cell.verb, cell.moment, found, file=sys.stderr, flush=True)
        return found

    with ThreadPoolExecutor(AT_ONCE.get(driver, 1)) as pool:
        found = list(pool.map(tried, [Lie(verb, moment) for verb in Verb for moment in Moment]))
    width = len(Moment)
    lines += [f"| {verb} | {' | '.join(found[n * width : (n + 1) * width])} |" for n, verb in enumerate(Verb)]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    path = Path(sys.argv[1])
    write_whole(path, renewed(path.read_text("utf-8"), sys.argv[2:]))
