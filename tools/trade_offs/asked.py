"""Commands of the page, run once each, and what they say."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "trade-offs.md"
LOST, GONE = "an_acknowledged_write_is_lost", "the_partition_is_lost"
ONE_SYNC = ("--set", "sync_backups=1", "--set", "async_backups=0")
ONE_ASYNC = ("--set", "sync_backups=0", "--set", "async_backups=1")
DEFAULT = ("--rate", "backup_timeout_passes=1/5s")
RARELY = ("--rate", "*_crashes=1/30d")
_ran: list[str] = []


@contextmanager
def commands() -> Iterator[list[str]]:
    """Give the list of what is run within, a line each, with the page's variables in place of their words."""
    _ran.clear()
    yield _ran


@cache
def page() -> str:
    """Return the page."""
    return PAGE.read_text(encoding="utf-8")


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a variable of the page's commands: RATES, NOTICED or QUESTION."""
    found = re.search(rf'^{name}="(.*?)"$', page(), re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"{PAGE} sets no {name}")
    return tuple(found.group(1).split())


def durability(*words: str, noticed: bool = True) -> Mapping[str, Any]:
    """Measure `durability` with the rates and the question that the page's sections share, but for rates given here."""
    shown = ("$RATES", *(("$NOTICED",) if noticed else ()), "$QUESTION")
    _ran.append(shlex.join(("gridproof", "measure", "durability", *shown, *words)))
    shared = (*words_of("RATES"), *(words_of("NOTICED") if noticed else ()), *words_of("QUESTION"))
    own = {words[at + 1].partition("=")[0] for at, word in enumerate(words) if word == "--rate"}
    others = [
        word
        for pair in zip(shared[::2], shared[1::2], strict=True)
        for word in pair
        if not (pair[0] == "--rate" and pair[1].partition("=")[0] in own)
    ]
    return gridproof("measure", "durability", *others, *words, is_said=False)


@cache
def _output_of(words: tuple[str, ...]) -> Mapping[str, Any]:
    done = subprocess.run(
        (sys.executable, "-m", "gridproof", *words, "--json"), capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 3):
        raise RuntimeError(f"`gridproof {shlex.join(words)}` ends with {done.returncode}: {done.stderr.strip()}")
    said: Mapping[str, Any] = json.loads(done.stdout)
    return said


def gridproof(*words: str, is_said: bool = True) -> Mapping[str, Any]:
    """Run a command with `--json`; the same words are run once."""
    if is_said:
        _ran.append(shlex.join(("gridproof", *words)))
    return _output_of(words)


def within(said: Mapping[str, Any], of: str = LOST) -> float:
    """Return the probability within the time, of a measurement or one point of a sweep."""
    return next(
        float(one["value"])
        for one in said["measures"]
        if one["of"] == of and one["quantity"] == "probability within the time"
    )
