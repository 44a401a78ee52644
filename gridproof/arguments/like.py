"""`gridproof measure --like`: takes the rates of the cell of a campaign."""

import argparse
from dataclasses import replace

from gridproof.arguments.specifications import OTHER_NAMES, SHORTHANDS
from gridproof.command import UsageError
from gridproof_model.specifications import durability
from gridproof_properties.claims.named import Named
from gridproof_properties.judging.words import count
from gridproof_properties.measuring.like import NOTHING_ELSE, LikeError, Likeness, cell_chain, likeness
from gridproof_reports.campaigns.plan import read_plan


def liken(arguments: argparse.Namespace, named: Named) -> tuple[Named, Likeness]:
    """Fill in missing arguments from a cell; return the specification of the chain, and what was taken from the cell.

    Raise UsageError if the specification is not about copies, or if the cell does not exist or is no Markov chain.
    """
    if arguments.like is None:
        raise UsageError(f"--cell {arguments.cell} needs the plan of a campaign; name the plan's file with --like")
    if named.specification is not durability.specification:
        raise UsageError(
            f"--like {arguments.like}: a cell gives rates for the specification durability only; give the rates of "
            f"{named.reference} with --rate"
        )
    cells = read_plan(arguments.like).draw_options()
    number = 0 if arguments.cell is None else arguments.cell
    if not 0 <= number < len(cells) or (arguments.cell is None and len(cells) > 1):
        wanted = f"name one of them with --cell, from 0 to {len(cells) - 1}"
        raise UsageError(f"--like {arguments.like}: the plan has {count(len(cells), 'cell')}; {wanted}")
    try:
        like = likeness(cells[number])
    except LikeError as error:
        raise UsageError(f"--like {arguments.like}: cell {number} cannot be measured: {error}") from None
    return replace(named, specification=cell_chain()), _given(arguments, like)


def _given(arguments: argparse.Namespace, like: Likeness) -> Likeness:
    """Fill in the arguments that the user has not given, and return the values that were filled in."""
    swept = (arguments.sweep or "").partition("=")[0]
    said = {text.partition("=")[0] for text in arguments.set} | {swept, OTHER_NAMES.get(swept, swept)}
    said |= {OTHER_NAMES.get(one, one) for one in SHORTHANDS if getattr(arguments, one) is not None}
    constants = tuple(one for one in like.constants if one.name not in said)
    rated = {text.partition("=")[0] for text in arguments.rate if "+" not in text.partition("=")[0]} | {swept}
    rates = like.besides(rated)
    arguments.set = [*(f"{one.name}={one.text}" for one in constants), *arguments.set]
    rest = [] if "*" in rated else [NOTHING_ELSE]
    arguments.rate = [*(f"{one.name}={one.text}" for one in rates), *rest, *arguments.rate]
    if arguments.time is None and swept != like.time.name:
        arguments.time = like.time.text
    time = like.time if arguments.time == like.time.text else replace(like.time, text=arguments.time or "", why="given")
    return replace(like, constants=constants, rates=rates, time=time)
