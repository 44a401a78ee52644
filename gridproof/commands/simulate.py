"""`gridproof simulate`: simulates runs of small grids, with faults."""

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gridproof.arguments.configuration import Given, configuration_object
from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.simulations import (
    add_draw_options,
    check_seeds,
    chosen_draw_options,
    given_of_runs,
    line_to_replay,
)
from gridproof.ci.gate import add_gate, check_least, gate_of
from gridproof.output import campaign_table
from gridproof.output.console import open_console, print_configuration
from gridproof.output.folders import fresh_folder
from gridproof.output.progress import show_progress
from gridproof.output.traces import TRACE_STEM
from gridproof.time_limit import INTERRUPTED, TimeLimit, add_time_limit, limited, time_limit_of
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.trace import write_trace
from gridproof_model.events.fault_counts import MORE_SEEDS
from gridproof_model.trace import SIMULATED
from gridproof_model.value import picked
from gridproof_properties.audits.promises import promises_of
from gridproof_properties.campaign.seeds import judge_seed, judge_seeds, promised_for
from gridproof_properties.campaign.tally import Failure, Tally
from gridproof_properties.judging.words import count

FAILURES_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `simulate`."""
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed (default 0)")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="how many seeds, counted up (default 1)")
    add_draw_options(parser)
    parser.add_argument("--workers", type=int, metavar="W", help="processes side by side (default: one a core)")
    add_gate(parser)
    add_time_limit(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the trace of a single run")


def run(arguments: argparse.Namespace) -> int:
    """Simulate and judge the runs, and return the exit status."""
    _check_numbers(arguments)
    gate, limit = gate_of(arguments), time_limit_of(arguments)
    gate.refuse_unpromised([SIMULATED], [promises_of(SIMULATED)])
    given = given_of_runs(arguments)
    config = given.load(audited=False)
    draw_options = chosen_draw_options(arguments, config, given)
    refined = True if arguments.steps else None
    began = time.monotonic()
    trace: Path | None = None
    if arguments.runs == 1:
        tally = Tally()
        place = fresh_folder(arguments.out, "simulate")
        with place as folder, write_trace(trace := folder / f"{TRACE_STEM}.jsonl") as writer:
            one = judge_seed(arguments.seed, draw_options, writer.write, refined=refined, is_interruptible=True)
            tally.add(one)
    else:
        seeds = range(arguments.seed, arguments.seed + arguments.runs)
        tally = _simulate_many(seeds, draw_options, arguments.workers, refined, limit)
    seconds = time.monotonic() - began
    promised = promised_for(draw_options, tally)
    unseen = tally.unseen([name for name in promised if name in gate.counted], arguments.at_least)
    is_partial = tally.runs < arguments.runs
    if arguments.json:
        found = _object(tally, draw_options, given, seconds, trace, unseen, steps=arguments.steps)
        found |= gate.as_object()
        why = "interrupted" if limit.why == INTERRUPTED else "time_limit_reached"
        found |= {why: True, "asked": arguments.runs} if is_partial else {}
        found |= {"configuration": configuration_object(config)} if config is not None else {}
        print(json.dumps(found))
    else:
        _print(tally, draw_options, given, seconds, trace, steps=arguments.steps)
        if config is not None:
            print_configuration(open_console(), config.taken, config.notes)
        if unseen:
            print(campaign_table.unseen_line(unseen, tally.runs, arguments.at_least))
        for line in gate.lines(()):
            print(line)
    status = gate.status_of_tally(tally, promised, arguments.at_least, draw_options.asked_faults)
    if is_partial:
        limit.say(f"these are {tally.runs:,} of {count(arguments.runs, 'run')}")
    return limit.status_of_part(status) if is_partial else status


def _check_numbers(arguments: argparse.Namespace) -> None:
    check_seeds(arguments.seed, arguments.runs)
    check_least(arguments.at_least, arguments.runs)
    refuse_ignored(arguments.typed, Subject.ONE_RUN if arguments.runs == 1 else Subject.RUNS)


def _simulate_many(
    seeds: range, draw_options: DrawOptions, workers: int | None, refined: bool | None, limit: TimeLimit
) -> Tally:
    """Return the tally of the runs of the seeds; after Ctrl-C or the time limit, there are fewer runs than seeds."""
    tally = Tally()
    with show_progress("simulating") as show, limited(limit):
        for part in judge_seeds(seeds, draw_options, workers or os.cpu_count() or 1, refined):
            tally.join(part)
            show(count(len(tally.failures), "failure"), tally.runs, len(seeds))
    return tally


def _print(
    tally: Tally, draw_options: DrawOptions, given: Given, seconds: float, trace: Path | None, *, steps: bool
) -> None:
    console = open_console()
    title = f"{count(tally.runs, 'run')} of the simulated reference"
    campaign_table.print_tally(console, tally, title, dict.fromkeys(draw_options.asked_faults, MORE_SEEDS))
    for failure in tally.failures[:FAILURES_SHOWN]:
        console.print(f"seed {failure.seed}: {failure.property} {failure.result.value}: {failure.sentence}")
        console.print(f"  again: {line_to_replay(failure.seed, draw_options, given, steps=steps)}", soft_wrap=True)
    if len(tally.failures) > FAILURES_SHOWN:
        console.print(f"and {len(tally.failures) - FAILURES_SHOWN:,} more")
    rate = tally.events / seconds if seconds else 0.0
    console.print(
        f"\n{count(tally.operations, 'operation')} and {count(tally.events, 'protocol event')} in {seconds:.1f} s "
        f"({rate:,.0f} events a second), {tally.virtual_ms / 3_600_000:,.1f} hours of virtual time"
    )
    if trace is not None:
        console.print(f"trace   {trace}", soft_wrap=True)


def _object(
    tally: Tally,
    draw_options: DrawOptions,
    given: Given,
    seconds: float,
    trace: Path | None,
    unseen: Sequence[str],
    *,
    steps: bool,
) -> dict[str, object]:
    return {
        **picked(tally, "runs virtual_ms"),
        "seconds": round(seconds, 3),
        **picked(tally, "operations events"),
        **campaign_table.tally_object(tally, unseen, dict.fromkeys(draw_options.asked_faults, MORE_SEEDS)),
        "failures": [_failure(failure, draw_options, given, steps=steps) for failure in tally.failures],
        "trace": None if trace is None else str(trace),
    }


def _failure(failure: Failure, draw_options: DrawOptions, given: Given, *, steps: bool) -> Mapping[str, object]:
    return {
        **picked(failure, "seed property"),
        "verdict": failure.result.value,
        "sentence": failure.sentence,
        "replay": line_to_replay(failure.seed, draw_options, given, steps=steps),
    }
