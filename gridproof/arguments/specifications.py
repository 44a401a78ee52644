"""How a user names a specification and a world.

A specification is one of gridproof's own, or one of the user's, which is named by file or module. `--members 3` sets
the constant `members`; `--set NAME=VALUE` sets any constant. A constant that is not set keeps its default.
"""

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum

from gridproof.command import UsageError
from gridproof_model.language import SpecificationError, World
from gridproof_model.language.values import Plain
from gridproof_model.renamed import present_name
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.claims.named import Named, find_named

SHORTHANDS = ("members", "backups", "writes", "size")
"""The constants that have options of their own."""
MEMORY_MIB = 2048
OTHER_NAMES = {"backups": "sync_backups"}
"""For some shorthands, the constant that they set instead in a specification that has sync and async backups."""


def add_specification(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that names a specification."""
    ours = ", ".join(one.name for one in SPECIFICATIONS)
    own = "or your own: FILE.py:NAME or package.module:NAME"
    parser.add_argument("specification", metavar="SPEC", help=f"one of {ours}, {own}")


def add_constants(parser: argparse._ActionsContainer) -> None:
    """Declare the options that choose a world."""
    for name in SHORTHANDS:
        parser.add_argument(
            f"--{name}", type=int, metavar=name[0].upper(), help=f"the constant {name}, where the specification has it"
        )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE",
        help="any constant, once or several times; `gridproof show SPEC` lists them",
    )  # fmt: skip


def add_memory(parser: argparse._ActionsContainer, words: str = "stop at this much memory") -> None:
    """Declare the option that bounds the memory of an exploration."""
    parser.add_argument("--memory", type=int, metavar="MIB", help=f"{words} (default {MEMORY_MIB} MiB)")


def chosen_memory(arguments: argparse.Namespace) -> int:
    """Return the bytes of memory that the arguments allow; raise UsageError if there are none."""
    mebibytes: int = MEMORY_MIB if arguments.memory is None else arguments.memory
    if mebibytes < 1:
        raise UsageError(f"--memory {mebibytes}: write a number of MiB, at least 1")
    return mebibytes << 20


def chosen_specification(arguments: argparse.Namespace) -> Named:
    """Return the specification that the arguments name; NamingError, with the nearest names, if there is none."""
    return find_named(arguments.specification)


def chosen_world(named: Named, arguments: argparse.Namespace) -> World:
    """Return the world that the arguments choose; UsageError names a constant that does not exist or does not fit."""
    with only_worlds_that_exist(named):
        return named.specification.world(**chosen_constants(named, arguments))


def chosen_constants(named: Named, arguments: argparse.Namespace) -> dict[str, Plain]:
    """Return the constants that the arguments choose; UsageError names an unknown constant, or one of another kind."""
    specification = named.specification
    known = {constant.name: constant.default for constant in specification.constants}
    given = {name: value for name in SHORTHANDS if (value := getattr(arguments, name)) is not None}
    wanted = {name if name in known else OTHER_NAMES.get(name, name): str(value) for name, value in given.items()}
    for setting in arguments.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: write NAME=VALUE")
        if wanted.get(name, value) != value:
            raise UsageError(f"--set {setting}: {name} is also set to {wanted[name]}; set it once")
        wanted[name] = value
    wanted = {_present_constant(specification.name, name, known): value for name, value in wanted.items()}
    for name in wanted:
        if name not in known:
            raise UsageError(f"{specification.name} has no constant {name!r}; it has {', '.join(known) or 'none'}")
    return {name: _plain(name, text, known[name]) for name, text in wanted.items()}


def _present_constant(specification: str, name: str, known: Iterable[str]) -> str:
    """Return the name that a constant of a specification has now, if it was renamed."""
    found = present_name(f"{specification}.{name}", {f"{specification}.{one}" for one in known})
    return found.removeprefix(f"{specification}.")


@contextmanager
def only_worlds_that_exist(named: Named) -> Iterator[None]:
    """Report a world that cannot exist as wrong use: for a specification of gridproof's with the cure, else with its
    line."""
    try:
        yield
    except SpecificationError as error:
        if not named.is_ours:
            raise UsageError(str(error)) from None
        name = named.specification.name
        cure = f"`gridproof show {name}` says what its constants mean"
        raise UsageError(f"{name} has no world with these constants: {error.problem}; {cure}") from None


def _plain(name: str, text: str, default: Plain) -> Plain:
    """Return the value that a text stands for; it has the same kind as the default of the constant."""
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "false": False, "no": False}
        if text.lower() not in words:
            raise UsageError(f"--set {name}={text}: write true or false")
        return words[text.lower()]
    if isinstance(default, Enum):
        choices = {choice.name.lower(): choice for choice in type(default)}
        if text.lower() not in choices:
            raise UsageError(f"--set {name}={text}: choose from {', '.join(choices)}")
        return choices[text.lower()]
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--set {name}={text}: write a whole number") from None
