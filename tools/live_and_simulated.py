"""Holds runs on running members against the simulated runs of the same seeds.

    python -m tools.live_and_simulated docs/three-readings/hazelcast.csv

Prints every seed that lost something in either, and in a third run: simulated, with each crash when it came and each
member back when it was. Then how soon tables showed a second copy again, where rows say so; how much longer than
planned members were away, which a process takes to start, and how many crashes came late: in runs in which they waited
for a start, they come in bunches.
"""

import csv
import re
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import set_parameters
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_properties.measures.run_meter import RunMeter
from tools.live_cell import Row, scenario_of

AWAY = re.compile(r"(\d+):(-?\d+)-(-?\d*)")
"""Who was away, from when until when: the first crash may come before clients begin, the end not at all."""
LATE_MS = 1_000
SOON_MS = 400
"""So soon after a return a late crash had waited for it, most likely."""
SOONER_MS = 1_200
"""A run's clock begins with its first answer, a little after its clients'."""
NEVER_MS = 60_000
"""Until after any run: who is not back."""
Away = tuple[int, int, int | None]
"""The index of an address, when it crashed, and when another one was there."""


def options_of(row: Row) -> DrawOptions:
    """Return what the cell of a run means."""
    texts = (one.partition("=") for one in row["cell"].split())
    return set_parameters(DrawOptions(), [(name, text) for name, _, text in texts])


def away_of(row: Row, planned: Sequence[FaultEvent]) -> list[tuple[Away, FaultEvent]]:
    """Return each crash that came with the one that was planned.

    Addresses crash for the first time in the order that is planned, which says whose crash a row's is; a crash belongs
    to the last one planned of its address until then.
    """
    in_order = iter(dict.fromkeys(one.address_indices[0] for one in planned))
    index: dict[str, int] = {}
    found = []
    for word in row["away"].split():
        name, began, ended = AWAY.fullmatch(word).groups()  # type: ignore[union-attr]
        if name not in index:
            index[name] = next(in_order)
        address = index[name]
        mine = [one for one in planned if one.address_indices[0] == address and one.at_ms <= int(began) + SOONER_MS]
        if mine:
            away = address, max(int(began), 0), int(ended) if ended else None
            found.append((away, max(mine, key=lambda one: one.at_ms)))
    return found


def as_it_came(scenario: Scenario, came: Sequence[tuple[Away, FaultEvent]]) -> Scenario:
    """Return a scenario with each crash when it came, and each member back when it was."""
    (script,) = scenario.scripts
    fault_events = tuple(
        replace(one, at_ms=began, for_ms=max(1, (began + NEVER_MS if ended is None else ended) - began))
        for (_, began, ended), one in came
    )
    return scenario.with_scripts((replace(script, fault_events=fault_events),))


def lost_in(scenario: Scenario) -> int:
    """Return how many acknowledged writes a simulated run loses."""
    meter = RunMeter()
    simulate(scenario, meter.observe)
    lost = meter.conclude()["lost"]
    assert isinstance(lost, int)
    return lost


def say_second_copies(rows: Sequence[Row]) -> None:
    """Print how soon there was a second copy again after the crash of a holder, of rows that say so."""
    copied = [word for row in rows for word in row["copied"].split()]
    times_ms = [int(word) for word in copied if word != "-"]
    if times_ms:
        print(
            f"of {len(copied)} crashes of a holder {len(times_ms)} had a second copy again before the next, after "
            f"{statistics.median(times_ms):.0f} ms at the median, {statistics.mean(times_ms):.0f} ms on average"
        )


def main() -> None:
    """Print both."""
    with Path(sys.argv[1]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts, away_longer_ms, late_ms, crashes, after_a_return = [0, 0, 0, 0], [], [], 0, 0
    for row in rows:
        scenario = scenario_of(int(row["seed"]), options_of(row))
        came = away_of(row, list(scenario.fault_events()))
        last_ms = max((one.at_ms + one.for_ms for one in scenario.fault_events()), default=0)
        returns = [ended for (_, _, ended), _ in came if ended is not None]
        for (_, began, ended), planned in came:
            crashes += 1
            if began - planned.at_ms > LATE_MS:
                late_ms.append(began - planned.at_ms)
                after_a_return += any(0 <= began - back < SOON_MS for back in returns)
            elif ended is not None and ended < last_ms and ended - began > planned.for_ms:
                away_longer_ms.append(ended - began - planned.for_ms)
        lost = int(row["lost"]), lost_in(scenario), lost_in(as_it_came(scenario, came))
        for place, is_lossy in enumerate((*map(bool, lost), bool(lost[0] and lost[2]))):
            counts[place] += is_lossy
        if any(lost):
            print(f"seed {row['seed']}: lost {lost[0]} live, {lost[1]} simulated, {lost[2]} as it came; {row['away']}")
    live, simulated, came_to, both = counts
    print(
        f"of {len(rows)} seeds {live} lost something live, {simulated} simulated, {came_to} simulated as it came, "
        f"{both} both live and as it came"
    )
    came_late = f"of {crashes} crashes, {after_a_return} within {SOON_MS} ms of a return"
    say_second_copies(rows)
    for name, times, of in ("back", away_longer_ms, "returns"), ("crashed", late_ms, came_late):
        if times:
            print(f"{name} {statistics.mean(times) / 1_000:.1f} s later than planned on average, {len(times)} {of}")


if __name__ == "__main__":
    main()
