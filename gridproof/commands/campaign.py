"""`gridproof campaign`: simulates on Spark a grid of parameters, each combination with many seeds."""

import argparse
import json
import shlex
import time
from dataclasses import replace
from pathlib import Path

from gridproof.arguments.configuration import Given, add_configuration, chosen_map, lines_object
from gridproof.command import UsageError
from gridproof.output.console import open_console, print_configuration
from gridproof.output.folders import DEFAULT_PARENT, kept_if_used, missing_folders, plain_name
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_implementation.simulator.draw_options import Prescribed
from gridproof_properties.judging.words import count
from gridproof_reports.campaigns.campaign import Campaign
from gridproof_reports.campaigns.estimate_names import read_until
from gridproof_reports.campaigns.plan import RUNS_MAX, FollowedConfiguration, Plan, read_plan
from gridproof_reports.campaigns.store import Store
from gridproof_reports.pipeline.audit import DEFAULT_MASTER

EXAMPLE = """an example, loss.toml:

  runs = 200                      # seeds of each cell
  [set]                           # of every cell; names as in `gridproof simulate --set`
  workload = "appends"
  arrival = "20/s"
  time = "60s"
  [grid]                          # each combination is a cell
  sync-backups = [0, 1, 2]
  crash = ["1/30s", "1/120s"]

  gridproof campaign loss.toml --until 'loss ± 10 %'
  gridproof study gridproof-out/campaign-loss
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `campaign`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument("file", type=Path, metavar="FILE.toml", help="what to run: parameters, and seeds for each cell")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="the folder of the campaign; what is finished there is not run again (default: "
        f"{DEFAULT_PARENT}/campaign-FILE)",
    )  # fmt: skip
    parser.add_argument("--master", default=DEFAULT_MASTER, metavar="M", help=f"the Spark master ({DEFAULT_MASTER})")
    parser.add_argument("--runs", type=int, metavar="N", help="seeds of each cell, whatever the file says")
    parser.add_argument(
        "--until",
        metavar="'ESTIMATE ± N %%'",
        help="stop when the 99 %% interval of an estimate is that narrow in every cell, such as 'loss ± 10 %%'",
    )
    add_configuration(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate the missing runs and return the exit status: 1 if a promised property is broken in some run."""
    plan = _plan(arguments)
    folder: Path = arguments.out or DEFAULT_PARENT / f"campaign-{plain_name(arguments.file.stem)}"
    store = Store(folder)
    began = time.monotonic()
    with show_progress("campaign") as show, limited() as limit, kept_if_used(folder, missing_folders(folder)):
        campaign = Campaign(plan, store, arguments.master, show)
        campaign.run()
    seconds = time.monotonic() - began
    # Imported here: the imported module loads PyArrow, which a campaign that is refused does not need.
    from gridproof_reports.campaigns.tried import Tried

    tried = Tried.of(store)
    given = {
        "folder": str(folder),
        "cells": plan.cell_count,
        "runs": sum(part.runs for part, _ in store.finished()),
        "simulated": campaign.runs,
        "seconds": round(seconds, 3),
        "narrow_enough": campaign.is_narrow and limit.why is None,
        "interrupted": limit.why is not None,
        **tried.as_object(),
    }
    if arguments.json:
        followed = plan.configuration
        lines = {} if followed is None else {"configuration": lines_object(followed.taken, followed.passed_over)}
        print(json.dumps(given | lines))
    else:
        for said in tried.first_lines():
            print(said)
        _print(given, campaign, seconds)
    limit.say("finished runs are kept: give the same command again")
    return limit.status_of_part(tried.exit_status)


def _plan(arguments: argparse.Namespace) -> Plan:
    plan = read_plan(arguments.file)
    if arguments.runs is not None:
        if not 1 <= arguments.runs * plan.cell_count <= RUNS_MAX:
            most = f"{RUNS_MAX // plan.cell_count:,}, as the plan has {count(plan.cell_count, 'cell')}"
            raise UsageError(f"--runs {arguments.runs}: write a number of runs per cell from 1 to {most}")
        plan = replace(plan, runs=arguments.runs)
    plan = plan if arguments.until is None else replace(plan, until=read_until(arguments.until))
    given = Given.of(arguments)
    config = given.load(audited=False)
    if config is None:
        return plan
    prescribed = Prescribed.by(config, chosen_map(config, given.map_name))
    return replace(plan, configuration=FollowedConfiguration(prescribed, given.words, config.taken, config.notes))


def _print(given: dict[str, object], campaign: Campaign, seconds: float) -> None:
    plan, simulated = campaign.plan, campaign.runs
    rate = f", {simulated / seconds:,.1f} a second" if simulated and seconds else ""
    tried = f"{count(plan.cell_count, 'cell')}, {count(given['runs'], 'run')}"  # type: ignore[arg-type]
    print(f"{tried}; {simulated:,} simulated now in {seconds:.1f} s{rate}")
    if plan.until is not None:
        print(f"{plan.until}: {'reached' if given['narrow_enough'] else 'not reached'} in every cell")
    for name, runs in given["broken"].items():  # type: ignore[attr-defined]
        print(f"broken  {name}, promised, in {count(runs, 'run')}")
    for name, runs in given["failed_judges"].items():  # type: ignore[attr-defined]
        print(f"unknown {name}: its judge failed in {count(runs, 'run')}")
    if plan.configuration is not None:
        print_configuration(open_console(), plan.configuration.taken, plan.configuration.passed_over)
    print(f"runs    {given['folder']}\nstudy   gridproof study {shlex.quote(str(given['folder']))}")
