"""Worlds of drawn specifications, where there are any."""

from hypothesis import note, reject

from gridproof_model.language import Specification, SpecificationError, World
from gridproof_model.language.lower_world import lower
from gridproof_model.language.page import page
from gridproof_model.language.scalars import LoweredWorld
from gridproof_properties.explorer import Exploration, FailureKind

UNDEFINED = {FailureKind.UNDEFINED_STEP, FailureKind.UNDEFINED_CLAIM}


def is_defined(exploration: Exploration) -> bool:
    """Return whether every step and claim means something in every state; a deadlock is as defined as anything."""
    return not UNDEFINED & {failure.kind for failure in exploration.failures}


def world_or_skip(specification: Specification) -> World:
    """Return the usual world; pass over a specification that names a slot its usual world lacks."""
    note(page(specification))
    try:
        return specification.world()
    except SpecificationError:
        reject()


def lowered_or_skip(specification: Specification) -> LoweredWorld:
    """Return the usual world in numbers; pass over one in which an update can never keep its domain, too."""
    world = world_or_skip(specification)
    try:
        return lower(world)
    except SpecificationError:
        reject()
