"""Holds runs on running members against the simulated runs of the same seeds.

    python -m tools.live_and_simulated docs/three-readings/hazelcast.csv

Prints every seed that lost something in either, who was away, and how much longer than planned members were away: what
a process takes to start.
"""

import csv
import re
import statistics
import sys
from pathlib import Path

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import set_parameters
from gridproof_implementation.simulator.run import simulate
from gridproof_properties.measures.run_meter import RunMeter
from tools.live_cell import Row, scenario_of

AWAY = re.compile(r"\d+:(-?\d+)-(-?\d*)")
"""Who was away, from when until when: the first crash may come before clients begin, the end not at all."""
AT_MOST_LATE_MS = 1_500
"""A crash that struck so much later than planned is another one."""


def options_of(row: Row) -> DrawOptions:
    """Return what the cell of a run means."""
    texts = (one.partition("=") for one in row["cell"].split())
    return set_parameters(DrawOptions(), [(name, text) for name, _, text in texts])


def later_ms(row: Row) -> list[int]:
    """Return by how much each member came back later than planned, of those that did before clients ended."""
    planned = [(one.at_ms, one.for_ms) for one in scenario_of(int(row["seed"]), options_of(row)).fault_events()]
    last_ms = max((at_ms + for_ms for at_ms, for_ms in planned), default=0)
    found = []
    for away in row["away"].split():
        began, ended = AWAY.fullmatch(away).groups()  # type: ignore[union-attr]
        at_ms, for_ms = min(planned, key=lambda one: abs(one[0] - int(began)))
        if ended and int(ended) < last_ms and abs(at_ms - int(began)) < AT_MOST_LATE_MS:
            found.append(int(ended) - int(began) - for_ms)
    return [one for one in found if one > 0]


def main() -> None:
    """Print both."""
    delays: list[int] = []
    with Path(sys.argv[1]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lossy = 0
    for row in rows:
        meter = RunMeter()
        simulate(scenario_of(int(row["seed"]), options_of(row)), meter.observe)
        lost = meter.conclude()["lost"]
        lossy += bool(lost)
        delays += later_ms(row)
        if lost or int(row["lost"]):
            print(f"seed {row['seed']}: lost {row['lost']} live, {lost} simulated; away {row['away']}")
    alive = sum(int(row["lost"]) > 0 for row in rows)
    print(f"of {len(rows)} seeds {alive} lost something live, {lossy} simulated")
    print(f"back {statistics.mean(delays) / 1_000:.1f} s later than planned on average, of {len(delays)} returns")


if __name__ == "__main__":
    main()
