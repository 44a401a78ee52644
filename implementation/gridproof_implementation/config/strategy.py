"""Partition group strategies, found by name.

A name is a callable in a module, or an entry point: what stands in for Hazelcast's Java interface (seed: Partition
Group Configuration, SPI). A named module is imported and so runs; name only what you would run.
"""

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from gridproof_implementation.config.document import did_you_mean
from gridproof_model.grid_properties import GROUP_STRATEGY
from gridproof_model.groups import GroupStrategy

ENTRY_POINT_GROUP = "gridproof.partition_group_strategies"
HOW_TO_NAME = f'name a Python callable in the property {GROUP_STRATEGY.name}, as in "my_package.racks:by_row"'
"""The cure, for a file that names a Java class or nothing."""


class StrategyError(ValueError):
    """A strategy that cannot be loaded; the message is one line with the cure."""


def load_strategy(name: str) -> GroupStrategy:
    """Return the strategy `module:callable` means, or the installed entry point of this name."""
    module, colon, path = name.partition(":")
    found = _from_module(module.strip(), path.strip()) if colon else _from_entry_point(name)
    if not callable(found):
        raise StrategyError(f'"{name}" is {type(found).__name__}, not a callable from members to groups of members')
    return cast(GroupStrategy, found)


def _from_module(module: str, path: str) -> object:
    if not module or not path or module.startswith("."):
        raise StrategyError(f'"{module}:{path}" names no callable; write module:callable')
    try:
        found: object = import_module(module)
    except Exception as error:
        raise StrategyError(f"cannot import {module}: {_say(error)}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise StrategyError(f"{module} has no {path}{did_you_mean(name, dir(found))}")
        found = getattr(found, name)
    return found


def _from_entry_point(name: str) -> object:
    installed = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in installed:
        cure = did_you_mean(name, installed) or f"; install the package that has it, or {HOW_TO_NAME}"
        raise StrategyError(f'no entry point of {ENTRY_POINT_GROUP} is called "{name}"{cure}')
    try:
        return installed[name].load()
    except Exception as error:
        raise StrategyError(f"cannot load the entry point {name}: {_say(error)}") from error


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
