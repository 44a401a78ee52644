"""`gridproof prove SPEC --refines OTHER --by VIEW`: shows that every step of one specification is a step of another."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gridproof.arguments.specifications import SHORTHANDS, chosen_constants, only_worlds_that_exist
from gridproof.command import UsageError
from gridproof.output.console import PLAIN, RIGHT, new_table, open_console
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_model.language import SpecificationError, World
from gridproof_model.language.expressions import Expr
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.claims.named import Named, find_named, find_own
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_properties.measuring.explored import UnmeasurableError

if TYPE_CHECKING:
    from gridproof_properties.claims.abstraction import Compared
    from gridproof_properties.proofs.argument import Constants
    from gridproof_properties.proofs.refinement import Shown

_Above = Callable[[World], World]
"""A function that takes a world of SPEC and returns the world of OTHER."""


def add_refines_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the further arguments for comparing one specification with another."""
    group = parser.add_argument_group("refinement")
    group.add_argument("--refines", metavar="OTHER", help="check every step against the steps of this specification")
    group.add_argument(
        "--by", metavar="VIEW", help="a mapping FILE.py:NAME from variables of OTHER to expressions over SPEC"
    )


def run_refines(arguments: argparse.Namespace, named: Named) -> int:
    """Compare the two specifications in every world of the argument's `explored_in`, or in the world of the options."""
    if arguments.by is None:
        what = "name a mapping from the variables of OTHER to expressions over SPEC"
        raise UsageError(f"--refines OTHER needs --by VIEW; {what}, as FILE.py:NAME")
    other = find_named(arguments.refines)
    view = _view(arguments.by, other)
    of_other = _of_other_alone(named, other, arguments.set)
    arguments.set = [one for one in arguments.set if one not in of_other]
    beside = chosen_constants(other, argparse.Namespace(set=of_other, **dict.fromkeys(SHORTHANDS)))
    above = partial(_world_above, other, beside)
    given = chosen_constants(named, arguments)
    worlds = [given] if given else [w for one in named.arguments for w in one.explored_in] or [given]
    found: dict[str, _Found] = {}
    with only_worlds_that_exist(named), show_progress(named.specification.name) as report, limited() as limit:
        for constants in worlds:
            report(f"{named.specification.name}, {world_in_words(constants)}", 0, None)
            found[world_in_words(constants)] = _Found(_compared(named, above, view, constants))
        if all(variable.name in view for variable in other.specification.variables):
            for world, shown in _by_induction(named, above, view, given, lambda what: report(what, 0, None)):
                found[world] = replace(found.get(world, _Found()), shown=shown)
    limit.say()
    if arguments.json:
        asked = {"specification": named.reference, "refines": other.reference, "interrupted": limit.why is not None}
        print(json.dumps({**asked, "worlds": [*_objects(other, found)]}))
    else:
        _print(named, other, found)
    status = _status(found)
    return ExitStatus.UNKNOWN if limit.why is not None and status == ExitStatus.HOLDS else status


@dataclass(frozen=True, slots=True)
class _Found:
    """The results for one world."""

    compared: "Compared | str | None" = None
    """The comparison over all states, or the reason why there is none; None if it was not asked for."""
    shown: "Shown | None" = None
    """The proof by induction; None if it was not tried."""

    @property
    def verdict(self) -> str:
        """The verdict that comparison and proof give together."""
        is_shown = self.shown is not None and self.shown.steps > 0 and not self.shown.lacks
        match self.compared:
            case None | str() if is_shown:
                return "holds, by induction"
            case None:
                return "unknown: it is not shown by induction"
            case str(why):
                return f"unknown: {why}"
            case one if one.refuted:
                return f"refused: {one.refuted:,} kinds of steps are none of the other's"
            case one if one.refusals:
                kinds = count(len(one.refusals), "kind of step is one", "kinds of steps are some")
                return f"unknown: {kinds} of the other's for some values of its hidden variables only"
            case one:
                return "holds" if one.changes else "unknown: no step changes what is viewed, so nothing was compared"

    def by_induction(self, other: str) -> str:
        """Return in words the result of the proof by induction; empty if no proof was tried."""
        if self.shown is None:
            return ""
        known = f"given {count(self.shown.leans_on, 'claim or lemma', 'claims and lemmas')} that hold in every state"
        if self.shown.lacks:
            return f"not shown by induction, {known}: {self.shown.lacks}"
        steps = count(self.shown.steps, "kind of step", "kinds of steps")
        return f"by induction, {known}: no step of {steps} that may change the view is none of {other}"


def _by_induction(
    named: Named, above: _Above, view: Mapping[str, Expr], given: "Constants", report: Callable[[str], None]
) -> "Iterator[tuple[str, Shown]]":
    """Yield proofs for the world that options choose, or for all in `proved_in` of the argument; none without Z3."""
    try:
        from gridproof_properties.claims.known import argument_of
        from gridproof_properties.proofs.any_number.cutoffs import at_a_small_size
        from gridproof_properties.proofs.refinement import show_refinement
    except ModuleNotFoundError:
        return
    defaults = {one.name: one.default for one in named.specification.constants}
    for argument in named.arguments or (argument_of(named.specification),):
        for proved in [given] if given else argument.proved_in:
            small = at_a_small_size(argument, proved)
            constants = {name: value for name, value in small.items() if value != defaults[name]}
            world = world_in_words(constants)
            report(f"{named.specification.name}, {world}: by induction")
            yield world, show_refinement(argument, constants, above(named.specification.world(**constants)), view)


def _compared(named: Named, above: _Above, view: Mapping[str, Expr], constants: "Constants") -> "Compared | str":
    """Return the comparison in one world, or the reason why it could not be made."""
    from gridproof_properties.claims.abstraction import compare

    below = named.specification.world(**constants)
    try:
        return compare(below, above(below), view)
    except UnmeasurableError as limit:
        return str(limit)
    except ValueError as undefined:
        raise UsageError(f"{named.specification.name} for {world_in_words(constants)}: {undefined}") from None


def _of_other_alone(named: Named, other: Named, settings: Sequence[str]) -> list[str]:
    """Return the settings of those constants that OTHER has and SPEC does not."""
    above, below = ({constant.name for constant in one.specification.constants} for one in (other, named))
    return [one for one in settings if one.partition("=")[0] in above - below]


def _world_above(other: Named, beside: "Constants", below: World) -> World:
    """Return the world of OTHER with SPEC's values of the constants of both, and the chosen values of its own."""
    known = {constant.name for constant in other.specification.constants}
    shared = {name: value for name, value in below.constants if name in known}
    try:
        return other.specification.world(**shared, **beside)
    except SpecificationError as error:
        lacks = f"{other.reference} has no world with the constants of {below.title}"
        raise UsageError(f"{lacks}, so the two cannot be compared: {error}") from None


def _view(reference: str, other: Named) -> Mapping[str, Expr]:
    view = find_own(reference, dict, "view")
    known = [variable.name for variable in other.specification.variables]
    for name, value in view.items():
        if name not in known:
            raise UsageError(f"--by {reference}: {other.reference} has no variable {name!r}; it has {', '.join(known)}")
        if not isinstance(value, Expr):
            raise UsageError(f"--by {reference}: {name} must be mapped to an expression, not {value!r}")
    if not view:
        raise UsageError(f"--by {reference}: the view maps no variable of {other.reference}; map at least one")
    return view


def _status(found: Mapping[str, _Found]) -> int:
    verdicts = [one.verdict for one in found.values()]
    if any(verdict.startswith("refused") for verdict in verdicts):
        return ExitStatus.BROKEN
    return ExitStatus.HOLDS if all(verdict.startswith("holds") for verdict in verdicts) else ExitStatus.UNKNOWN


def _print(named: Named, other: Named, found: Mapping[str, _Found]) -> None:
    title = f"{named.specification.name} refines {other.specification.name}"
    numbers = dict.fromkeys(("states", "steps", "changes of the view"), RIGHT)
    table = new_table(title, {"world": PLAIN, **numbers, "verdict": PLAIN})
    for world, one in found.items():
        counts = [f"{number:,}" for number in _counts(one).values()] or [""] * 3
        table.add_row(world, *counts, one.verdict)
    console = open_console()
    console.print(table)
    for world, one in found.items():
        if one.shown is not None:
            console.print(f"{world}: {one.by_induction(other.specification.name)}", soft_wrap=True)
        if story := [*_story(one)]:
            console.print(f"\n{world}: the last of these steps is none of {other.specification.name}:")
            for line in story:
                console.print(line, soft_wrap=True)


def _counts(one: _Found) -> Mapping[str, int]:
    if one.compared is None or isinstance(one.compared, str):
        return {}
    return {"states": one.compared.states, "steps": one.compared.steps, "changes": one.compared.changes}


def _story(one: _Found) -> Iterator[str]:
    moments = () if one.compared is None or isinstance(one.compared, str) else one.compared.story
    for number, moment in enumerate(moments):
        yield f"  {number}. {moment.event}"
        yield from (f"       below: {change}" for change in moment.below)
        yield f"       above: {moment.above}"


def _objects(other: Named, found: Mapping[str, _Found]) -> Iterator[dict[str, object]]:
    for world, one in found.items():
        said = {"by_induction": one.by_induction(other.specification.name)} if one.shown is not None else {}
        yield {"world": world, "verdict": one.verdict, **_counts(one), **said, "story": [*_story(one)]}
