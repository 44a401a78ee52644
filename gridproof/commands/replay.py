"""`gridproof replay`: shows a behaviour or a run again, step by step."""

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.simulations import add_draw_options, chosen_draw_options, drawn_run, given_of_runs, seed_of
from gridproof.ci.gate import check_least
from gridproof.command import UsageError
from gridproof.output import campaign_table
from gridproof.output.console import open_console
from gridproof.output.folders import check_paths, choose_folder, fresh_folder, write_result
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import asked_in, is_scenario, read_scenario, write_scenario
from gridproof_implementation.simulator.work_limit import EndlessWork, patience
from gridproof_model.events.fault_counts import ANOTHER_SEED, NOTHING_DRAWS, missed_faults
from gridproof_model.language.run import table
from gridproof_model.whole_file import write_whole
from gridproof_properties.campaign.minimise import fails_with, minimise
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.campaign.seeds import promised_for
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.claims.story import read_story
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.refusal_picture import draw_refusal
from gridproof_reports.drawing.run_picture import RunOnlooker, RunStory, describe_run
from gridproof_reports.drawing.story_picture import draw_story

SCENARIO_NAME, PICTURE_NAME, BEHAVIOUR_NAME = "scenario.json", "run.svg", "behaviour.svg"
DRAWING_PATIENCE_S = 1.0
"""How many seconds a drawing waits for a member's answer, if the run has shown that the member never answers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `replay`."""
    parser.add_argument(
        "what",
        metavar="SEED|FILE",
        help="a seed of `gridproof simulate`, a scenario that `gridproof replay` wrote, or a behaviour that "
        "`gridproof explore --out` wrote",
    )
    add_draw_options(parser)
    parser.add_argument("--whole", action="store_true", help="do not make a failing run smaller")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="an empty folder for the scenario, small if it fails, and the picture"
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="where to draw a behaviour (default: beside the file)")


def run(arguments: argparse.Namespace) -> int:
    """Replay the behaviour or run that is given, and return the exit status."""
    what: str = arguments.what
    if what.isdecimal():
        refuse_ignored(arguments.typed, Subject.SEED_REPLAYED)
        given = given_of_runs(arguments)
        draw_options = chosen_draw_options(arguments, given.load(audited=False), given)
        return _replay_run(drawn_run(seed_of(what), draw_options), draw_options, f"seed {what}", arguments)
    path = Path(what)
    if is_scenario(path):
        refuse_ignored(arguments.typed, Subject.SCENARIO_REPLAYED)
        scenario = read_scenario(path)
        return _replay_run(scenario, DrawOptions(faults=asked_in(path, scenario)), what, arguments)
    refuse_ignored(arguments.typed, Subject.BEHAVIOUR_REPLAYED)
    if arguments.out is not None and arguments.svg is not None:
        raise UsageError("--out and --svg both say where the picture is written; leave one of the two out")
    if arguments.out is None:
        return _replay_story(path, arguments.svg, as_json=arguments.json)
    with fresh_folder(arguments.out, "replay") as folder:
        return _replay_story(path, folder / BEHAVIOUR_NAME, as_json=arguments.json)


def _replay_run(scenario: Scenario, draw_options: DrawOptions, name: str, arguments: argparse.Namespace) -> int:
    """Run a scenario again and judge it as `simulate` does; if the run fails, make it small, describe it and draw it.

    If a folder is named, it is checked before the work begins, and gets the run whether the run fails or not.
    """
    check_least(arguments.at_least, 1)
    with nullcontext() if arguments.out is None else fresh_folder(arguments.out, "replay") as named:
        refined = True if arguments.steps or not name.startswith("seed ") else None
        judged = judge_scenario(scenario, refined=refined, asked=draw_options.asked_faults, is_interruptible=True)
        tally = Tally()
        tally.add(judged)
        promised = promised_for(draw_options, tally)
        unseen = tally.unseen(promised, arguments.at_least)
        asked = _asked(scenario, tally, draw_options)
        folder = named
        if judged.broken or judged.failed_judges:
            folder = choose_folder(None, "replay") if named is None else named
            judged, story, shows = _made_small(judged, refined, name, folder, asked, whole=arguments.whole)
            if not arguments.json:
                campaign_table.print_faults(open_console(), tally.faults, _brought(name, draw_options))
                print(f"{name}: {shows}")
                _print_failure(judged, story, folder)
        else:
            if folder is not None:
                _draw(scenario, "nothing is broken", folder, asked)
            if not arguments.json:
                _print_what_holds(tally, draw_options, name, unseen, arguments.at_least)
                if folder is not None:
                    _name_files(folder, whole=False)
        if arguments.json:
            print(json.dumps(_object(name, tally, draw_options, unseen, judged, folder)))
        return tally.exit_status(promised, arguments.at_least, draw_options.asked_faults)


def _made_small(
    judged: JudgedRun, refined: bool | None, name: str, folder: Path, asked: Mapping[str, bool], *, whole: bool
) -> tuple[JudgedRun, RunStory, str]:
    """Make a failing run small, and draw it into a folder; return the small run, its story, and what the run shows.

    An event that a specification refuses is drawn in a file of its own, under the name of the property.
    """
    first = [*judged.broken, *judged.failed_judges][0]
    if not whole and judged.broken:
        smallest, fails_too = [judged.scenario], fails_with(first.property)

        def fails(scenario: Scenario) -> bool:
            if is_small := fails_too(scenario):
                smallest.append(scenario)
            return is_small

        with show_progress(name) as report, limited() as limit:
            minimise(judged.scenario, fails, progress=report)
        limit.say("the run is as small as it had become until then")
        judged = judge_scenario(smallest[-1], refined=refined)
        first = next(verdict for verdict in judged.broken if verdict.property == first.property)
    for verdict in judged.broken:
        if verdict.refusal is not None:
            write_whole(folder / f"{verdict.property}.svg", draw_refusal(verdict.refusal, verdict.sentence))
    shows = f"{first.property}: {first.sentence}"
    return judged, _draw(judged.scenario, shows, folder, asked), shows


def _print_failure(judged: JudgedRun, story: RunStory, folder: Path) -> None:
    print(_describe(judged.scenario))
    print(*story.sentences(), sep="\n")
    _print_witnesses(judged)
    _name_files(folder, whole=True)
    for verdict in judged.broken:
        if verdict.refusal is not None:
            print(f"refused  {folder / f'{verdict.property}.svg'}")


def _object(
    name: str, tally: Tally, draw_options: DrawOptions, unseen: Sequence[str], judged: JudgedRun, folder: Path | None
) -> Mapping[str, object]:
    """Return what `--json` prints: the tally of the whole run and, if the run fails, the failures of the small run."""
    # Imported here: the imported module loads the pages and figures of reports, which printed lines do not need.
    from gridproof.checks.run import verdict_object

    return {
        "replayed": name,
        "operations": tally.operations,
        "events": tally.events,
        **campaign_table.tally_object(tally, unseen, _brought(name, draw_options)),
        "failures": [verdict_object(verdict) for verdict in (*judged.broken, *judged.failed_judges)],
        "scenario": None if folder is None else str(folder / SCENARIO_NAME),
        "picture": None if folder is None else str(folder / PICTURE_NAME),
    }


def _brought(name: str, draw_options: DrawOptions) -> Mapping[str, str]:
    """Return, for each requested fault that is not in the replayed run, what a user can do to get it."""
    return dict.fromkeys(draw_options.asked_faults, ANOTHER_SEED if name.startswith("seed ") else NOTHING_DRAWS)


def _asked(scenario: Scenario, tally: Tally, draw_options: DrawOptions) -> Mapping[str, bool]:
    """Return for each fault whether it was requested or affected a member; False if a seed drew it without effect."""
    asked = draw_options.asked_faults
    names = dict.fromkeys([*asked, *(one.fault for one in scenario.fault_events())])
    missed = missed_faults(tally.faults, [name for name, _ in tally.faults])
    return {name: name in asked or name not in missed for name in names}


def _draw(scenario: Scenario, shows: str, folder: Path, asked: Mapping[str, bool]) -> RunStory:
    """Write a scenario and the picture of its run; return the story of the steps."""
    write_scenario(folder / SCENARIO_NAME, scenario, shows, asked=asked)
    onlooker = RunOnlooker()
    with (
        suppress(Exception, EndlessWork),
        patience(DRAWING_PATIENCE_S),
    ):  # a run that a failing member ends is described up to there
        simulate(scenario, lambda record: None, onlooker=onlooker)
    story = describe_run(scenario, onlooker, shows)
    write_whole(folder / PICTURE_NAME, story.picture())
    return story


def _name_files(folder: Path, *, whole: bool) -> None:
    again = f"gridproof replay {shlex.quote(str(folder / SCENARIO_NAME))}{' --whole' if whole else ''}"
    print(f"\npicture  {folder / PICTURE_NAME}\nagain    {again}")


def _print_what_holds(tally: Tally, draw_options: DrawOptions, name: str, unseen: Sequence[str], at_least: int) -> None:
    """Print the verdict on each property, and the promises that were not met."""
    console = open_console()
    campaign_table.print_tally(console, tally, name, _brought(name, draw_options))
    console.print(f"{count(tally.operations, 'operation')}, {count(tally.events, 'protocol event')}: nothing is broken")
    if unseen:
        print(campaign_table.unseen_line(unseen, tally.runs, at_least, campaign_table.THE_SAME_AGAIN))


def _describe(scenario: Scenario) -> str:
    return (
        f"{count(scenario.members, 'member')}, {scenario.sync_backups} sync and "
        f"{scenario.async_backups} async backups, "
        f"{count(scenario.partition_count, 'partition')}, {count(scenario.operation_count, 'operation')}, "
        f"{count(len(list(scenario.fault_events())), 'fault')}\n"
    )


def _print_witnesses(judged: JudgedRun) -> None:
    for verdict in judged.broken:
        print(f"\n{verdict.property} is broken: {verdict.sentence}")
        for number, step in enumerate(verdict.witness, start=1):
            print(f"  {number}. {step}")


def _replay_story(path: Path, svg: Path | None, *, as_json: bool) -> int:
    """Run a story again, print it as a table and draw it."""
    story = read_story(path)
    picture = svg or path.with_suffix(".svg")
    if svg is not None and picture.exists():
        raise UsageError(f"{picture} exists already and is not overwritten; name another file with --svg")
    check_paths({"--svg": picture})
    write_result("--svg", picture, draw_story(story))
    if as_json:
        found = {"replayed": str(path), "world": story.world.title, "shows": story.shows, "picture": str(picture)}
        print(json.dumps(found))
        return ExitStatus.HOLDS
    print(f"{story.world.title}\n{story.shows}\n")
    print(table(story.runner, story.behaviour))
    if story.cycle_from is not None:
        print(f"     ... and from step {story.cycle_from} on again, forever")
    print(f"\npicture {picture}")
    return ExitStatus.HOLDS
