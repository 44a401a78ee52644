"""`gridproof prove SPEC --refines OTHER --by VIEW`: every step of one specification is a step of another."""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from gridproof.console import open_console
from gridproof.errors import UsageError
from gridproof.progress import show_progress
from gridproof.specifications import chosen_constants, only_worlds_that_exist
from gridproof_model.language import SpecificationError, World
from gridproof_model.language.expressions import Expr
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.claims.named import Named, find_named, find_own
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.measuring.explored import UnmeasurableError

if TYPE_CHECKING:
    from gridproof_properties.claims.abstraction import Compared
    from gridproof_properties.proofs.argument import Constants


def add_refines_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what holding one specification against another needs besides."""
    group = parser.add_argument_group("refinement")
    group.add_argument("--refines", metavar="OTHER", help="hold every step against those of this specification")
    group.add_argument(
        "--by", metavar="VIEW", help="a mapping FILE.py:NAME from variables of OTHER to expressions over SPEC"
    )


def run_refines(arguments: argparse.Namespace, named: Named) -> int:
    """Compare in every world that the argument explores, or in the one that constants choose."""
    if arguments.by is None:
        raise UsageError("--refines needs --by VIEW: a mapping from the variables of OTHER to expressions over SPEC")
    other = find_named(arguments.refines)
    view = _view(arguments.by, other)
    given = chosen_constants(named, arguments)
    worlds = [given] if given else [w for one in named.arguments for w in one.explored_in] or [given]
    found: dict[str, Compared | str] = {}
    with only_worlds_that_exist(named), show_progress(named.specification.name) as report:
        for constants in worlds:
            report(f"{named.specification.name}, {world_in_words(constants)}", 0, None)
            found[world_in_words(constants)] = _compared(named, other, view, constants)
    if arguments.json:
        print(json.dumps({"specification": named.reference, "refines": other.reference, "worlds": [*_objects(found)]}))
    else:
        _print(named, other, found)
    return _status(found)


def _compared(named: Named, other: Named, view: Mapping[str, Expr], constants: "Constants") -> "Compared | str":
    """Return what came of one world, or why nothing did."""
    from gridproof_properties.claims.abstraction import compare

    below = named.specification.world(**constants)
    try:
        return compare(below, _world_above(other, below), view)
    except UnmeasurableError as limit:
        return str(limit)
    except ValueError as undefined:
        raise UsageError(f"{named.specification.name}, {world_in_words(constants)}: {undefined}") from None


def _world_above(other: Named, below: World) -> World:
    """Return the world of OTHER with the constants that both have; the others take their defaults."""
    known = {constant.name for constant in other.specification.constants}
    shared = {name: value for name, value in below.constants if name in known}
    try:
        return other.specification.world(**shared)
    except SpecificationError as error:
        raise UsageError(f"{other.reference} has no world that goes with {below.title}: {error}") from None


def _view(reference: str, other: Named) -> Mapping[str, Expr]:
    view = find_own(reference, dict, "view")
    known = [variable.name for variable in other.specification.variables]
    for name, value in view.items():
        if name not in known:
            raise UsageError(f"--by {reference}: {other.reference} has no variable {name!r}; it has {', '.join(known)}")
        if not isinstance(value, Expr):
            raise UsageError(f"--by {reference}: {name} stands for an expression of the language, not {value!r}")
    if not view:
        raise UsageError(f"--by {reference}: it views no variable, so that nothing would be compared")
    return view


def _status(found: "Mapping[str, Compared | str]") -> int:
    if any(not isinstance(one, str) and one.refusals for one in found.values()):
        return ExitStatus.BROKEN
    is_known = all(not isinstance(one, str) and one.changes for one in found.values())
    return ExitStatus.HOLDS if is_known else ExitStatus.UNKNOWN


def _verdict(one: "Compared | str") -> str:
    if isinstance(one, str):
        return f"unknown: {one}"
    if one.refusals:
        return f"refused: {len(one.refusals):,} kinds of steps are none of the other's"
    return "holds" if one.changes else "unknown: no step changes what is viewed, so nothing was compared"


def _print(named: Named, other: Named, found: "Mapping[str, Compared | str]") -> None:
    title = f"{named.specification.name} refines {other.specification.name}"
    table = Table(title=title, title_justify="left")
    for heading in ("world", "states", "steps", "changes of the view", "verdict"):
        table.add_column(heading, justify="right" if heading in ("states", "steps", "changes of the view") else "left")
    for world, one in found.items():
        counts = ("", "", "") if isinstance(one, str) else (f"{one.states:,}", f"{one.steps:,}", f"{one.changes:,}")
        table.add_row(world, *counts, escape(_verdict(one)))
    console = open_console()
    console.print(table)
    for world, one in found.items():
        if not isinstance(one, str) and one.story:
            console.print(f"\n{escape(world)}: the last of these steps is none of {other.specification.name}:")
            for line in _story(one):
                console.print(escape(line), soft_wrap=True)


def _story(one: "Compared") -> Iterator[str]:
    for number, moment in enumerate(one.story):
        yield f"  {number}. {moment.event}"
        yield from (f"       below: {change}" for change in moment.below)
        yield f"       above: {moment.above}"


def _objects(found: "Mapping[str, Compared | str]") -> Iterator[dict[str, object]]:
    for world, one in found.items():
        counted = {} if isinstance(one, str) else {"states": one.states, "steps": one.steps, "changes": one.changes}
        story = [] if isinstance(one, str) else [*_story(one)]
        yield {"world": world, "verdict": _verdict(one), **counted, "story": story}
