"""Plays the runs of a campaign's cell on running members, and appends what each of them lost to a file.

    python -m tools.live_cell CELL.toml --system hazelcast --results hazelcast.csv --runs 200 --minutes 20

A run is the scenario that the simulator plays with the same seed: the same operations at the same times, the same
crashes. What is lost is counted as there. A run that is in the file already is not played again, so that the same line
goes on; each is written when it is over, or not at all. Of a system whose roles are bound to members (Valkey) the cell
has all its nodes: `--set members=6` for three primaries with a replica each.
"""

import argparse
import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import set_parameters
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationRecord,
    Record,
    RowRecord,
    RunRecord,
    Slots,
    ViewRecord,
)
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import write_whole
from gridproof_properties.audits.live_run import play_live
from gridproof_properties.intervals import share_interval
from gridproof_properties.measures.run_meter import RunMeter
from gridproof_reports.campaigns.plan import read_plan

COLUMNS = (
    "cell", "system", "version", "seed", "crashes", "acknowledged", "indeterminate", "lost", "away", "copied", "stopped"
)  # fmt: skip
HEALED_AFTER_MS = 200
"""So soon after the last operation everybody is started again: in a simulated run faults stop then."""
BOUND = ("valkey",)
"""Systems whose backups are members of their own."""
Row = Mapping[str, str]


class CellError(UserError, ValueError):
    """A cell that no live system can play, or a file that is not of these runs; the message is one line."""


@dataclass(slots=True)
class SecondCopies:
    """How long a list was without a second copy, after each crash of a member that held one, as tables show it."""

    partition: int | None = None
    waits: list[str] = field(default_factory=list)
    """Milliseconds until two members that run held it; `-` where one more holder ended before that."""
    _slots: dict[int, Slots] = field(default_factory=dict)
    _view_ms: int = 0
    _gone: set[int] = field(default_factory=set)
    _since_ms: int | None = None

    def take(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case ViewRecord():
                self._view_ms = record.at_ms
            case RowRecord() if self._holders(record.slots):
                self._slots[record.partition] = record.slots
                if record.partition == self.partition and self._since_ms is not None:
                    self._look(record.slots, self._since_ms)
            case OperationRecord() if self.partition is None:
                self.partition = record.partition
            case MemberRecord(change=MemberChange.CRASHED):
                held = record.member in self._holders(self._slots.get(self.partition or 0, ()))
                self._gone.add(record.member)
                if held:
                    if self._since_ms is not None:
                        self.waits.append("-")
                    self._since_ms = record.at_ms
            case _:
                pass

    def conclude(self) -> str:
        """Return the waits; that in which the run ended is `-`, too."""
        return " ".join(self.waits if self._since_ms is None else [*self.waits, "-"])

    def _holders(self, slots: Slots) -> set[int]:
        return {slot for slot in slots if slot is not None} - self._gone

    def _look(self, slots: Slots, since_ms: int) -> None:
        if len(self._holders(slots)) > 1:
            self.waits.append(str(self._view_ms - since_ms))
            self._since_ms = None


@dataclass(slots=True)
class Watched:
    """What is seen of one run."""

    meter: RunMeter = field(default_factory=RunMeter)
    copies: SecondCopies = field(default_factory=SecondCopies)
    version: str = ""
    began_ms: int | None = None
    """When the first operation was asked for."""
    left: dict[str, int] = field(default_factory=dict)
    """When who ended that is not back, by address."""
    away: list[tuple[str, int, int | None]] = field(default_factory=list)
    """Of each crash the address, when it was and when another member ran there; None where none did."""

    def take(self, record: Record) -> None:
        """Take in the next record."""
        self.meter.observe(record)
        self.copies.take(record)
        match record:
            case RunRecord():
                self.version = record.version
            case OperationRecord() if self.began_ms is None:
                self.began_ms = record.start_ms
            case MemberRecord(change=MemberChange.CRASHED):
                self.left[record.name.partition("/")[0]] = record.at_ms
            case MemberRecord(change=MemberChange.JOINED) if record.name.partition("/")[0] in self.left:
                address = record.name.partition("/")[0]
                self.away.append((address, self.left.pop(address), record.at_ms))
            case _:
                pass

    def describe_away(self) -> str:
        """Return who was away, as `address:from-until`, in milliseconds since clients began."""
        began_ms = self.began_ms or 0
        whole = [*self.away, *((address, at_ms, None) for address, at_ms in self.left.items())]
        numbers = {address: number for number, address in enumerate(dict.fromkeys(one[0] for one in whole))}
        return " ".join(
            f"{numbers[address]}:{at_ms - began_ms}-{'' if back_ms is None else back_ms - began_ms}"
            for address, at_ms, back_ms in sorted(whole, key=lambda one: one[1])
        )


def scenario_of(seed: int, draw_options: DrawOptions) -> Scenario:
    """Return what a seed draws; CellError where it has what no fleet can play."""
    scenario = draw_scenario(seed, draw_options)
    (script,) = scenario.scripts
    unknown = {one.fault for one in script.fault_events} - LIVE_FAULTS_BY_NAME.keys()
    if unknown:
        raise CellError(f"no live system is given {', '.join(sorted(unknown))}: leave it out of the cell")
    end_ms = max(one.pause_ms for one in script.client_operations) + HEALED_AFTER_MS
    fault_events = tuple(
        replace(one, for_ms=max(1, min(one.for_ms, end_ms - one.at_ms))) for one in script.fault_events
    )
    return scenario.with_scripts((replace(script, fault_events=fault_events),))


def play(system: str, seed: int, draw_options: DrawOptions, cell: str) -> Row:
    """Play one run, and return its row."""
    adapter, scenario = get_adapter(system), scenario_of(seed, draw_options)
    copies = 1 + scenario.backups.total
    options = Options(
        seed=seed,
        member_count=scenario.members // copies if system in BOUND else scenario.members,
        backup_count=scenario.backups.total,
        async_backup_count=scenario.async_backups,
    )
    watched, stopped = Watched(), ""
    try:
        with adapter.open(options) as grid:
            if not isinstance(grid, AgentGrid):
                raise CellError(f"{system} has no agents, so its runs can only be simulated")
            play_live(scenario, grid, adapter, options, watched.take, [])
    except AdapterError as error:
        stopped = " ".join(str(error).split())
    measured = watched.meter.conclude()
    counts = {name: str(measured[name]) for name in ("acknowledged", "indeterminate", "lost")}
    crashes, away = str(len(watched.away) + len(watched.left)), watched.describe_away()
    head = {"cell": cell, "system": system, "version": watched.version, "seed": str(seed), "crashes": crashes}
    copied = watched.copies.conclude()
    return {**head, **counts, "away": away, "copied": copied, "stopped": stopped}


def play_all(seeds: Iterator[int], at_once: int, one: Callable[[int], Row]) -> Iterator[Row]:
    """Yield the row of each seed when its run is over; so many runs are under way at once."""
    if at_once == 1:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(at_once) as pool:
        under_way = {pool.submit(one, seed) for seed in islice(seeds, at_once)}
        while under_way:
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            under_way |= {pool.submit(one, seed) for seed in islice(seeds, len(over))}
            yield from (each.result() for each in over)


def read_rows(path: Path, cell: str, system: str) -> list[Row]:
    """Return the runs that a file has; CellError for one that has others."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows: list[Row] = list(reader)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise CellError(f"{path} does not hold such runs: name another file with --results")
    other = next((row for row in rows if (row["cell"], row["system"]) != (cell, system)), None)
    if other is not None:
        raise CellError(f"{path} has runs of {other['system']} and {other['cell']}: name another with --results")
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write all runs, by seed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([row[name] for name in COLUMNS] for row in sorted(rows, key=lambda row: int(row["seed"])))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.getvalue())


def describe(rows: Sequence[Row], wanted: int) -> str:
    """Return how many runs of a file lost something, and how many are left to be played."""
    whole = [row for row in rows if not row["stopped"]]
    lossy = sum(int(row["lost"]) > 0 for row in whole)
    bounds = ""
    if whole:
        found = share_interval(lossy, len(whole))
        bounds = f", {found.value:.3g} ({found.low:.3g} to {found.high:.3g} at 99 %)"
    ended = f", {len(rows) - len(whole)} ended before their end" if len(rows) > len(whole) else ""
    return f"{lossy} of {len(whole)} runs lost an acknowledged write{bounds}{ended}; {wanted - len(rows)} are left"


def main(words: Sequence[str] | None = None) -> int:
    """Play what is left, as long as the time allows."""
    parser = argparse.ArgumentParser(prog="python -m tools.live_cell")
    parser.add_argument("cell", type=Path, help="a campaign of one cell")
    parser.add_argument("--system", required=True)
    parser.add_argument("--results", type=Path, required=True, help="the file of runs, which is added to")
    parser.add_argument("--runs", type=int, default=200, help="seeds from the first of the campaign on (200)")
    parser.add_argument("--at-once", type=int, default=1, help="runs side by side, each with members of its own (1)")
    parser.add_argument("--minutes", type=float, default=inf, help="begin no run after that")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="instead of what the cell has")
    arguments = parser.parse_args(words)
    plan = read_plan(arguments.cell)
    if plan.cell_count != 1:
        raise CellError(f"{arguments.cell} has {plan.cell_count} cells; write one")
    texts = dict(plan.cells[0]) | {name: text for name, _, text in (one.partition("=") for one in arguments.set)}
    cell = " ".join(f"{name}={text}" for name, text in texts.items())
    draw_options = set_parameters(DrawOptions(), texts.items())
    rows = read_rows(arguments.results, cell, arguments.system)
    played, end_s = {int(row["seed"]) for row in rows}, monotonic() + 60 * arguments.minutes
    seeds = range(plan.first_seed, plan.first_seed + arguments.runs)
    left = (seed for seed in seeds if seed not in played and monotonic() < end_s)
    one = partial(play, arguments.system, draw_options=draw_options, cell=cell)
    for row in play_all(left, arguments.at_once, one):
        rows.append(row)
        write_rows(arguments.results, rows)
        print(f"{arguments.system}: seed {row['seed']}: lost {row['lost']} of {row['acknowledged']}", flush=True)
    print(f"{arguments.system}: {describe(rows, arguments.runs)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("ended; finished runs are kept: give the same command again", file=sys.stderr)
        sys.exit(3)
