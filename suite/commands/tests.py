"""`python -m suite tests`: tries blind mutants of the implementation in the tests only."""

import argparse
import ast
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gridproof.command import UsageError
from gridproof_properties.exit_status import ExitStatus
from suite.blind.by_tests import (
    IMPLEMENTATION,
    SUITES,
    Fate,
    ReachedTest,
    Suite,
    Watch,
    fork_quietly,
    preload,
    reaching,
    read_watch,
    run_pytest,
    try_mutant,
)
from suite.blind.mutations import EQUIVALENT, BlindMutant, blind_mutants

SAMPLE = 60
"""The number of mutants of a suite that are drawn by default."""


NAMES = ", ".join(suite.name for suite in SUITES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `tests`."""
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"suites, of {NAMES} (default: all)")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, metavar="N", help=f"mutants to draw of each suite (default {SAMPLE})"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the draw (default 1)")
    parser.add_argument("--module", default="", metavar="PART", help="only modules whose name contains this")


def run(arguments: argparse.Namespace) -> int:
    """Print the share killed and the survivors of each suite; return 1 if a mutant survived without an explanation."""
    if arguments.sample < 1 or arguments.seed < 0:
        raise UsageError(f"--sample {arguments.sample} must be at least 1, and --seed {arguments.seed} at least 0")
    if unknown := set(arguments.suites) - {suite.name for suite in SUITES}:
        raise UsageError(f"no suite is called {sorted(unknown)[0]!r}; there are {NAMES}")
    wanted = [suite for suite in SUITES if not arguments.suites or suite.name in arguments.suites]
    preload()
    left = [attack(suite, arguments.sample, arguments.seed, arguments.module) for suite in wanted]
    return ExitStatus.BROKEN if any(left) else ExitStatus.HOLDS


def attack(suite: Suite, sample: int, seed: int, only: str) -> int:
    """Try a random sample of a suite's mutants; return how many survived without an explanation."""
    drawn = [
        (path, mutant)
        for module, path in suite.modules().items()
        if only in module
        for mutant in blind_mutants(module, path.read_text(encoding="utf-8"))
    ]
    there = len(drawn)
    drawn = random.Random(seed).sample(drawn, min(sample, there))
    tests = _watched(suite)
    for path, mutant in drawn[:1]:
        plain = ast.parse(mutant.text)
        if (fate := try_mutant(mutant.module, plain, reaching(mutant.line, path, tests)[:20])) is not Fate.SURVIVED:
            raise SystemExit(f"{suite.name}: {mutant.module} is {fate} already without a mutant")
    fates: Counter[str] = Counter()
    for number, (path, mutant) in enumerate(drawn, 1):
        fate = try_mutant(mutant.module, mutant.tree, reaching(mutant.line, path, tests))
        fates[_describe(mutant, fate)] += 1
        print(f"{suite.name}: {number} of {len(drawn)}", end="\r", file=sys.stderr)
    killed = fates[Fate.KILLED] + fates[Fate.TIMED_OUT]
    equivalent = fates["explained"]
    print(
        f"{suite.name}: {there:,} mutants, {len(drawn)} drawn, {killed} killed ({fates[Fate.TIMED_OUT]} by time-out), "
        f"{equivalent} survived and are explained, {len(drawn) - killed - equivalent} survived; "
        f"{killed / max(1, len(drawn) - equivalent):.1%} of those that are not equivalent are killed"
    )
    return len(drawn) - killed - equivalent


def _watched(suite: Suite) -> list[ReachedTest]:
    """Run a suite without a mutant, and return which functions each test calls."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "watch.json"
        child = fork_quietly()
        if child == 0:
            os._exit(run_pytest(suite.tests, Watch(IMPLEMENTATION, chosen)))
        if os.waitpid(child, 0)[1] != 0:
            raise SystemExit(f"{suite.name}: the suite does not pass without a mutant; run pytest {suite.tests[0]} …")
        return read_watch(chosen)


def _describe(mutant: BlindMutant, fate: Fate) -> str:
    """Print a mutant that made no test fail; return how it counts."""
    if fate is Fate.KILLED:
        return fate
    reason = EQUIVALENT.get(mutant.key) if fate is Fate.SURVIVED else None
    why = f" (explained: {reason})" if reason else ""
    print(f"  {fate}, {mutant.module}:{mutant.line}: {mutant.change}{why}", flush=True)
    return "explained" if reason else fate
