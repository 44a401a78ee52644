"""`gridproof prove --find`: searches for lemmas."""

import argparse
import json
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from gridproof.arguments.specifications import (
    add_constants,
    add_memory,
    chosen_constants,
    chosen_memory,
    only_worlds_that_exist,
)
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, WHOLE, new_table, open_console
from gridproof.output.folders import write_result
from gridproof.output.progress import show_progress
from gridproof.time_limit import add_time_limit, limited, time_limit_of
from gridproof_model.language import ClaimKind
from gridproof_model.language.run import Runner
from gridproof_model.language.world import plain_text
from gridproof_model.user_error import UserError
from gridproof_model.value import picked
from gridproof_properties.claims.named import Named
from gridproof_properties.exit_status import ExitStatus

if TYPE_CHECKING:
    from gridproof_properties.proofs.argument import Constants
    from gridproof_properties.proofs.finding.find import Finder, Finding

_COLOURS = {"proved": "green", "broken": "red", "says nothing": "dim"}


def add_find_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the further arguments of a search for lemmas."""
    group = parser.add_argument_group("finding lemmas")
    group.add_argument("--find", action="store_true", help="look for the lemmas that carry the always-claims")
    group.add_argument("--claim", action="append", metavar="NAME", help="only this claim, once or several times")
    group.add_argument(
        "--with", dest="predicates", action="append", metavar="CONDITION",
        help="a predicate to try in lemmas, in the words of the module: 'heard[manager] & ~sent[other_manager]'",
    )  # fmt: skip
    group.add_argument("--seed", type=int, metavar="N", help="seed of the random choices (default 1)")
    add_memory(group, "explore no more states than fit in this memory")
    add_time_limit(group)
    add_constants(group)


def run_find(arguments: argparse.Namespace, named: Named) -> int:
    """Search for lemmas, print them, and write them as a module; return the exit status of the worst result."""
    # Imported here: Z3 is an extra, and every other command works without it.
    from gridproof_properties.proofs.finding.find import Finder
    from gridproof_properties.proofs.finding.lemmas import predicate_from

    specification, limit = named.specification, time_limit_of(arguments)
    memory_bytes = chosen_memory(arguments)
    seed = 1 if arguments.seed is None else arguments.seed
    if seed < 0:
        raise UsageError(f"--seed {seed}: write a whole number of at least 0")
    _check_out(arguments.out, named)
    predicates = [predicate_from(text, specification) for text in arguments.predicates or ()]
    worlds = tuple(world for argument in named.arguments for world in argument.explored_in)
    claims, constants = _claims(arguments.claim, named), chosen_constants(named, arguments)
    with only_worlds_that_exist(named), show_progress(specification.name) as report:
        finder = Finder(
            specification,
            claims,
            constants,
            predicates,
            worlds,
            seed=seed,
            memory_bytes=memory_bytes,
            progress=lambda what, done: report(what, done, None),
        )
        with limited(limit):
            finder.run()
    given = sum(len(argument.lemmas) for argument in named.arguments)
    if given:
        print(
            f"gridproof: --find looks for lemmas of its own: it used none of the {given} in {named.reference}",
            file=sys.stderr,
        )
    text, problem = _module(finder, named)
    if arguments.out is not None and text is not None:
        write_result("--out", arguments.out, text)
    if arguments.json:
        print(json.dumps(_object(finder, text, arguments.out)))
    else:
        _print(finder, text if arguments.out is None else None)
        if arguments.out is not None and text is not None:
            print(f"module  {arguments.out}")
    if problem is not None or (arguments.out is not None and text is None):
        print(f"gridproof: {problem or f'--out {arguments.out}: there is no lemma to write'}", file=sys.stderr)
    limit.say()
    return _status(finder.findings)


def _claims(wanted: Sequence[str] | None, named: Named) -> Sequence[str]:
    always = [claim.name for claim in named.specification.claims if claim.kind is ClaimKind.ALWAYS]
    for name in wanted or ():
        if name not in always:
            has = f"its always-claims are {', '.join(always) or 'none'}"
            raise UsageError(f"--claim {name}: {named.specification.name} has no such always-claim; {has}")
    if not always:
        lacks = f"{named.specification.name} has no always-claim, so there is nothing to find lemmas for"
        raise UsageError(f"{lacks}; declare an always-claim in the specification")
    return tuple(dict.fromkeys(wanted or always))


def _check_out(out: Path | None, named: Named) -> None:
    from gridproof_properties.proofs.finding.lemmas import home_of

    if out is None:
        return
    if out.suffix != ".py" or not out.stem.isidentifier():
        raise UsageError(f"--out {out}: lemmas are written as a Python module; name a .py file, such as found.py")
    home = home_of(named.specification)
    if home is not None and out.resolve().parent != home:
        raise UsageError(f"--out {out}: lemmas are written into the specification's folder; name a file in {home}")


def _module(finder: "Finder", named: Named) -> tuple[str | None, UserError | None]:
    """Return the lemmas as a module, or the error why they cannot be a module; None for both if no lemma was found."""
    from gridproof_properties.proofs.finding.lemmas import NamelessError, module_text

    if not finder.lemmas:
        return None, None
    try:
        return module_text(finder.argument, f"Lemmas found by `gridproof prove {named.reference} --find`."), None
    except NamelessError as error:
        return None, error


def _status(findings: "Sequence[Finding]") -> int:
    ends = {finding.end.value for finding in findings}
    if "broken" in ends:
        return ExitStatus.BROKEN
    return ExitStatus.HOLDS if "proved" in ends and not ends & {"not found", "not tried"} else ExitStatus.UNKNOWN


def _print(finder: "Finder", text: str | None) -> None:
    console = open_console()
    table = new_table(_where(finder), {"claim": FOLDED, "end": {**WHOLE, **FOLDED}, "what was found": FOLDED})
    for finding in finder.findings:
        word = Text(finding.end.value, _COLOURS.get(finding.end.value, "yellow"))
        table.add_row(finding.claim, word, _said(finding))
    console.print(table)
    for line in _worlds(finder):
        console.print(line, soft_wrap=True)
    for finding in finder.findings:
        for line in _why(finding):
            console.print(line, soft_wrap=True)
    if any(finding.end.value == "not found" for finding in finder.findings):
        console.print("\ntried:")
        for line in finder.tried:
            console.print(f"  {line}", soft_wrap=True)
    if text is not None:
        print(f"\n{text}", end="")
    elif finder.lemmas:
        for lemma in finder.lemmas:
            console.print(f"{lemma.name}: {lemma.sentence}", soft_wrap=True)


def plain_world(constants: "Constants") -> dict[str, object]:
    """Return constants as plain values; a constant that has no fixed value is described in words."""
    return {name: plain_text(value) if isinstance(value, Enum) else value for name, value in constants.items()}


def _where(finder: "Finder") -> str:
    if finder.explored is None:
        return finder.specification.name
    states, title = finder.explored.states.shape[1], finder.explored.world.title
    return f"{title}: {f'all {states:,}' if finder.explored.is_whole else f'{states:,} of the'} states explored"


def _worlds(finder: "Finder") -> Sequence[str]:
    from gridproof_properties.claims.ledger_row import worlds_in_words

    said = []
    if finder.proved_in and any(finding.end.value == "proved" for finding in finder.findings):
        unexplored = "; only the first was explored" if len(finder.proved_in) > 1 else ""
        said.append(f"proved  for {worlds_in_words(finder.proved_in)}{unexplored}")
    if finder.not_proved_in:
        said.append(f"not proved with the same lemmas: {worlds_in_words(finder.not_proved_in)}")
    return [*said, *(f"  {gap}" for gap in finder.gaps)]


def _said(finding: "Finding") -> str:
    match finding.end.value:
        case "proved":
            return f"with {', '.join(finding.lemmas)}" if finding.lemmas else "by itself"
        case "broken":
            assert finding.verdict is not None
            assert finding.world is not None
            return f"{finding.verdict.sentence} in {finding.world.title}"
        case "says nothing":
            return "it says nothing in these worlds"
        case "not found":
            return "what is left to prove is listed below"
        case _:
            return ""


def _why(finding: "Finding") -> Sequence[str]:
    """Return the story of a false claim, or what prevents the proof of a claim whose lemmas were not found."""
    if finding.obstacle is not None:
        return ("", f"lemmas for {finding.claim} were not found:", *(f"  {line}" for line in finding.obstacle.lines()))
    if finding.verdict is None or finding.world is None:
        return ()
    if finding.verdict.is_undefined:
        return ("", f"{finding.claim} is {finding.verdict.sentence}; `gridproof explore` shows the way there")
    runner = Runner(finding.world)
    steps = [event for event, _ in finding.verdict.witness if event is not None]
    numbered = (f"  {number}. {runner.describe(event)}" for number, event in enumerate(steps, start=1))
    return ("", f"{finding.claim} is false:", *(numbered if steps else ("  at the start",)))


def _object(finder: "Finder", text: str | None, out: Path | None) -> dict[str, object]:
    space = finder.explored
    return {
        "specification": finder.specification.name,
        "world": space.world.title if space is not None else None,
        "states": space.states.shape[1] if space is not None else 0,
        "complete": space is not None and space.is_whole,
        "findings": [
            {**picked(finding, "claim end"), "leans_on": list(finding.lemmas), "why": list(_why(finding))}
            for finding in finder.findings
        ],
        "lemmas": [{"name": lemma.name, "sentence": lemma.sentence} for lemma in finder.lemmas],
        "proved_in": [plain_world(constants) for constants in finder.proved_in],
        "not_proved_in": [plain_world(constants) for constants in finder.not_proved_in],
        "not_shown_for_any_number": list(finder.gaps),
        **picked(finder, "tried questions"),
        "module": text,
        "out": str(out) if out is not None and text is not None else None,
    }
