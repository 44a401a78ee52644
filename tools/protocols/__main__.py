"""Measure protocols of others, and make the page about them.

`count FOLDER` and `endive FOLDER` measure the originals in a copy of Endive's repository, `find` ours, `by-hand` what
our arguments have lemmas for; each takes names to be measured alone. `page FILE` writes the page of what is kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.protocols import by_hand
from tools.protocols.measured import found, keep, kept, our_states
from tools.protocols.originals import ORIGINALS, Original
from tools.protocols.page import page
from tools.protocols.theirs import counted, endive_on, is_in

LIMIT_S = 60.0
"""Endive, and a search of ours, is ended after so much processor time."""


def main() -> None:
    """Measure, keep, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("count", "endive", "find", "by-hand", "page"))
    parser.add_argument("where", nargs="?", type=Path, help="Endive's repository; of page, the file to write")
    parser.add_argument("--name", action="append", help="of these protocols only")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of processor time that a search has")
    given = parser.parse_args()
    match given.what, given.where:
        case "page", Path() as file:
            file.write_text(page(kept(), by_hand.kept()), encoding="utf-8")
        case "find", None:
            _measure(given.name, lambda one: {"found": found(one, given.limit)})
        case "by-hand", None:
            by_hand.measure(given.name, given.limit)
        case "count", Path() as folder:
            there = [one.name for one in ORIGINALS if one.module is None or is_in(one, folder)]
            _measure(
                given.name or there, lambda one: {"tlc_states": counted(one, folder), "our_states": our_states(one)}
            )
        case "endive", Path() as folder:
            _measure(given.name, lambda one: {"endive": endive_on(one, folder, given.limit)})
        case _:
            parser.error("count and endive need the folder of Endive's repository, page its file, the others neither")


def _measure(names: list[str] | None, how: Callable[[Original], Mapping[str, Any]]) -> None:
    for one in ORIGINALS:
        if names is None or one.name in names:
            new = how(one)
            measured = kept()  # only now: another measurement may have been kept meanwhile
            measured[one.name] = replace(measured[one.name], **new)
            keep(measured)
            print(one.name, new, flush=True)


if __name__ == "__main__":
    main()
