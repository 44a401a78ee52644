"""How soon a crashed member is removed in simulated runs of a cell, by whether it was the master.

    python -m tools.how_soon_removed docs/three-readings/four-members.toml 300

Of crashes while clients are at work, from the campaign's first seed on; those of which nobody ever learns, for nobody
is left, do not count. The last line is the mean as a rate, for `gridproof measure durability --like CELL.toml --rate`.
"""

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.events.conditions import FaultBegun
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.trace import EventRecord, Record
from gridproof_reports.campaigns.plan import read_plan

LONG_MS = 1_000


def removals(scenario: Scenario) -> Iterator[tuple[int, bool]]:
    """Yield of each crash after how many milliseconds somebody first removed the member, and whether it was master."""
    records: list[Record] = []
    simulate(scenario, records.append)
    crashed: dict[int, int] = {}
    for record in records:
        match record:
            case EventRecord(event=FaultBegun(fault="crash", members=members)):
                crashed |= dict.fromkeys(members, record.at_ms)
            case EventRecord(event=MemberRemoved(member=member, was_master=was_master)) if member in crashed:
                yield record.at_ms - crashed.pop(member), was_master
            case _:
                pass


def main() -> None:
    """Print a line for masters, for all others, and for all."""
    plan = read_plan(Path(sys.argv[1]))
    draw_options, seeds = plan.draw_options()[0], range(plan.first_seed, plan.first_seed + int(sys.argv[2]))
    found = [one for seed in seeds for one in removals(draw_scenario(seed, draw_options))]
    for name, chosen in (("masters", [True]), ("others", [False]), ("all", [True, False])):
        times = [time_ms for time_ms, was_master in found if was_master in chosen]
        long = [time_ms for time_ms in times if time_ms > LONG_MS]
        print(
            f"{name}: {len(times)} removed, after {statistics.median(times):.0f} ms at the median, "
            f"{statistics.mean(times):.0f} ms on average; {len(long)} after more than {LONG_MS} ms"
            + (f", {statistics.mean(long):.0f} ms on average" if long else "")
        )
    print(f"crashed*=1/{statistics.mean(time_ms for time_ms, _ in found):.0f}ms")


if __name__ == "__main__":
    main()
