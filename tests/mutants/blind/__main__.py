"""Blind mutants of the implementation, tried and reported.

`python -m tests.mutants.blind [SUITE ...] [--sample N] [--seed S] [--only MODULE]`
"""

import argparse
import ast
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gridproof_properties.blind.explained import EQUIVALENT
from gridproof_properties.blind.mutations import BlindMutant, blind_mutants
from tests.mutants.blind.reach import ReachedTest, Watch, reaching, read_watch
from tests.mutants.blind.run import Fate, fork_quietly, preload, run_pytest, try_mutant
from tests.mutants.blind.suites import IMPLEMENTATION, SUITES, Suite

SAMPLE = 60
"""Mutants drawn of a suite unless stated otherwise."""


def main(arguments: Sequence[str]) -> int:
    """Print the share killed and the survivors of each suite; 1 when an unexplained one survived."""
    parser = argparse.ArgumentParser(prog="blind", description="Blind mutants of the implementation.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(s.name for s in SUITES)}")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"mutants drawn of each suite ({SAMPLE})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only modules whose name contains this")
    chosen = parser.parse_args(arguments)
    wanted = [suite for suite in SUITES if not chosen.suites or suite.name in chosen.suites]
    if unknown := set(chosen.suites) - {suite.name for suite in SUITES}:
        parser.error(f"no suite is called {sorted(unknown)[0]}; there are {', '.join(s.name for s in SUITES)}")
    preload()
    left = [attack(suite, chosen.sample, chosen.seed, chosen.only) for suite in wanted]
    return 1 if any(left) else 0


def attack(suite: Suite, sample: int, seed: int, only: str) -> int:
    """Try a sample of a suite's mutants; return how many survived without an explanation."""
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
            raise SystemExit(f"{suite.name}: {mutant.module} is {fate} as it is, before anything was changed")
    fates: Counter[str] = Counter()
    for number, (path, mutant) in enumerate(drawn, 1):
        fate = try_mutant(mutant.module, mutant.tree, reaching(mutant.line, path, tests))
        fates[_describe(mutant, fate)] += 1
        print(f"{suite.name}: {number} of {len(drawn)}", end="\r", file=sys.stderr)
    killed = fates[Fate.KILLED] + fates[Fate.TIMED_OUT]
    equivalent = fates["explained"]
    print(
        f"{suite.name}: {there:,} mutants, {len(drawn)} drawn, {killed} killed ({fates[Fate.TIMED_OUT]} by the clock), "
        f"{equivalent} survived and are explained, {len(drawn) - killed - equivalent} survived; "
        f"{killed / max(1, len(drawn) - equivalent):.1%} of those that change anything"
    )
    return len(drawn) - killed - equivalent


def _watched(suite: Suite) -> list[ReachedTest]:
    """Run a suite without a mutant, and see which functions each test calls."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "watch.json"
        child = fork_quietly()
        if child == 0:
            os._exit(run_pytest(suite.tests, Watch(IMPLEMENTATION, chosen)))
        if os.waitpid(child, 0)[1] != 0:
            raise SystemExit(f"{suite.name}: the suite does not pass without a mutant; run pytest {suite.tests[0]} …")
        return read_watch(chosen)


def _describe(mutant: BlindMutant, fate: Fate) -> str:
    """Print a mutant that no test failed on; return what it counts as."""
    if fate is Fate.KILLED:
        return fate
    reason = EQUIVALENT.get(mutant.key) if fate is Fate.SURVIVED else None
    why = f" (explained: {reason})" if reason else ""
    print(f"  {fate}, {mutant.module}:{mutant.line}: {mutant.change}{why}", flush=True)
    return "explained" if reason else fate


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
