"""The child process that plays runs of modules with probes.

The process is `python -m suite.reach.worker`; its task has the packages, the function that plays a seed, the words for
that function, and the seeds. For each seed the process reports the points that were reached, as bits of a number, and
how long the run took.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from time import process_time
from types import ModuleType
from typing import Any

from suite.reach.loading import load_changed, report, task
from suite.reach.probes import PROBE
from suite.reach.survey import survey


def main() -> None:
    """Do the task."""
    given = task()
    reached: set[int] = set()
    surveyed = survey(given["packages"])
    load_changed(surveyed.trees, {PROBE: reached.add})
    module, name = str(given["play"]).split(":")
    play: Callable[..., object] = getattr(import_module(module), name)
    for seed in given["seeds"]:
        forget_results(list(surveyed.trees))
        reached.clear()
        began = process_time()
        play(seed, *given["words"])
        report((seed, f"{sum(1 << number for number in reached):x}", process_time() - began))


def forget_results(modules: Sequence[str]) -> None:
    """Clear the caches of functions; otherwise only the first run that needs a cached function would execute it."""
    for name in modules:
        if (module := sys.modules.get(name)) is not None:
            for value in _values(module):
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


def _values(module: ModuleType) -> Iterator[Any]:
    for value in vars(module).values():
        yield value
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield from vars(value).values()


if __name__ == "__main__":
    main()
