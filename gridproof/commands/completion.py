"""`gridproof completion`: prints a script by which a shell completes words.

The script is made by shtab from the parser. The script is static: it contains every command, its options, and the words
that may follow an option; it starts no Python when a key is pressed. The names of files and folders are completed by
the shell itself.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import shtab

from gridproof.cli import build_parser
from gridproof_properties.exit_status import ExitStatus

SHELLS = ("bash", "zsh", "fish")
FOLDERS = ("DIR", "FOLDER")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `completion`."""
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell that reads the script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(script_for(arguments.shell), end="")
    return ExitStatus.HOLDS


def script_for(shell: str) -> str:
    """Return the script for bash, zsh or fish."""
    parser = build_parser(None)
    known = known_words()
    for command, sub in parsers_of(parser).items():
        for action in sub._actions:
            option = action.option_strings[-1] if action.option_strings else ""
            words = known.get(f"{command} {option}".strip(), known.get(option))
            _say_what_stands_behind(action, words)
    return shtab.complete(parser, shell)


def parsers_of(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the parser of every command and of its subcommands, by the words that select the command."""
    return dict(_below(parser, ""))


def _below(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, sub in action.choices.items():
                yield f"{name} {word}".strip(), sub
                yield from _below(sub, f"{name} {word}".strip())


def _say_what_stands_behind(action: argparse.Action, words: Sequence[str] | None) -> None:
    if words is not None and action.choices is None:
        action.choices = words
    elif action.type is Path or "FILE" in str(action.metavar) or action.metavar in FOLDERS:
        # shtab reads this attribute; argparse itself cannot mark an argument as a file.
        action.complete = shtab.DIRECTORY if action.metavar in FOLDERS else shtab.FILE  # type: ignore[attr-defined]


def known_words() -> Mapping[str, Sequence[str]]:
    """Return the words that may follow each option with known names as values, an option of one command, and each
    command."""
    from gridproof_implementation.adapters import ADAPTERS
    from gridproof_implementation.live.faults import LIVE_FAULTS
    from gridproof_implementation.live.operations import NEEDED
    from gridproof_implementation.simulator.faults import FAULTS
    from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD
    from gridproof_model.specifications import SPECIFICATIONS
    from gridproof_properties.catalogue import PROPERTY_NAMES
    from gridproof_properties.papers import PAPERS
    from gridproof_properties.refinement.polled import OF_SPECIFICATION
    from gridproof_properties.stories.hazelcast import STORIES
    from gridproof_reports.campaigns.estimate_names import ESTIMATES

    specifications, systems = [one.name for one in SPECIFICATIONS], [adapter.name for adapter in ADAPTERS]
    return {
        "--system": [*systems, "all"],
        "compare": systems,
        "story": [story.name for story in STORIES],
        "check --faults": [*(fault.name for fault in LIVE_FAULTS), "none", "all"],
        "check --workload": list(NEEDED),
        **dict.fromkeys(("--only", "explain --of"), PROPERTY_NAMES),
        "study --only": [estimate.name for estimate in ESTIMATES],
        "--faults": [fault.name for fault in FAULTS],
        "--workload": [workload.name for workload in EVERY_WORKLOAD],
        "properties": list(PROPERTY_NAMES),
        "papers": [paper.name for paper in PAPERS],
        **dict.fromkeys(("show", "export", "explore", "measure", "prove", "prove --refines"), specifications),
        "validate --specification": list(OF_SPECIFICATION),
    }
