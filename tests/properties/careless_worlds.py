"""Worlds in which a rule is forgotten."""

from collections.abc import Callable
from dataclasses import replace

from gridproof_model.language import World
from gridproof_model.language.declarations import Action
from gridproof_model.language.tree import root


def without_guard(world: World, name: str, number: int) -> World:
    """Return a world in which one guard of one action is dropped."""
    return _with(world, name, lambda one: replace(one, guards=one.guards[:number] + one.guards[number + 1 :]))


def without_update(world: World, name: str, variable: str) -> World:
    """Return a world in which one action does not update one variable."""
    return _with(
        world, name, lambda one: replace(one, updates=tuple(u for u in one.updates if root(u.target).name != variable))
    )


def _with(world: World, name: str, changed: Callable[[Action], Action]) -> World:
    return replace(world, actions=tuple(changed(one) if one.name == name else one for one in world.actions))
