"""Worlds in which a rule is forgotten."""

from dataclasses import replace

from gridproof_model.language import World


def without_guard(world: World, name: str, number: int) -> World:
    """Return a world in which one guard of one action is dropped."""
    actions = tuple(
        replace(action, guards=action.guards[:number] + action.guards[number + 1 :]) if action.name == name else action
        for action in world.actions
    )
    return replace(world, actions=actions)
