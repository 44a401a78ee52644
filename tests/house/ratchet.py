"""What the house may not outgrow: `python -m tests.house.ratchet` writes today's sizes into `ratchet.toml`.

A commit that raises a number of it says why. All but circles and functions have a margin, so that small work does not
meet there: who lets a number fall far writes the file anew.
"""

import tomllib
from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path

from gridproof.commands import COMMANDS
from gridproof_model.whole_file import write_whole
from tests.house.imports import imports_of, loaded_by
from tests.house.sizes import circles, longest_function, sizes
from tests.house.source_tree import every_module

FILE = Path(__file__).with_name("ratchet.toml")
MARGIN = 0.02
"""Of all but circles and functions."""
STRICT = ("circles", "function")
HEAD = "# Sizes that only fall; `python -m tests.house.ratchet` writes them. A commit that raises one says why.\n"

Kept = Mapping[str, Mapping[str, int]]
"""By wing, command or `house`: numbers by what they count."""


def present() -> Kept:
    """Return the sizes of today."""
    found: dict[str, Mapping[str, int]] = {
        wing: {"lines": one.lines, "files": one.files, "loose": one.loose} for wing, one in sizes().items()
    }
    found["house"] = {"circles": len(circles()), "function": longest_function()}
    graph = imports_of(every_module(with_tests=False), at_once=True)
    for command in COMMANDS:
        found[f"gridproof {command.name}"] = {"modules": len(loaded_by(f"gridproof.commands.{command.name}", graph))}
    return found


def kept() -> Kept:
    """Return the sizes that were kept."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def outgrown(now: Kept, before: Kept) -> Iterator[str]:
    """Yield what is larger than it may be, and by how much."""
    for place, numbers in now.items():
        for what, number in numbers.items():
            least = before.get(place, {}).get(what, 0)
            most = least if what in STRICT else ceil(least * (1 + MARGIN))
            if number > most:
                yield f"{place}: {what} are {number:,}, at most {most:,} may be"


def text_of(sizes_now: Kept) -> str:
    """Return what the file holds of some sizes: a line for each place."""
    lines = (
        f'"{place}" = {{ {", ".join(f"{what} = {number}" for what, number in numbers.items())} }}'
        for place, numbers in sizes_now.items()
    )
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    write_whole(FILE, text_of(present()))
    print(f"written {FILE}")
