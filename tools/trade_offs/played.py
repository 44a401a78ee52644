"""Sentences that are counted or played: sets of members, placements over a history, mutants of the zoo."""

from collections.abc import Iterator

import numpy as np

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_properties.intervals import share_interval
from gridproof_properties.recomputing.copysets import lossy_failures, placed_copysets
from tools.placement_history import run_history
from tools.placement_history.failures import zone_loss

FIRST, RUNS = 5_000_000, 120


def placements() -> Iterator[str]:
    """Yield section 2's sets of members, and section 5."""
    for members, backups, gone in (20, 1, 2), (10, 2, 3), (20, 2, 3), (20, 2, 4), (20, 3, 4):
        counts = [
            lossy_failures(
                placed_copysets(policy, members, backups + 1, 271, 0), members=members, failures=gone,
                rng=np.random.default_rng(1), draws=1,
            )
            for policy in PLACEMENT_POLICIES
        ]  # fmt: skip
        yield "".join(f" {lossy:,} of {every:,} ({_percent(lossy / every)}) |" for lossy, every, _ in counts)
    for history in 1, 2, 5, 6:
        for policy in PLACEMENT_POLICIES:
            points = list(run_history(policy, history, 150, 271))
            end = points[-1]
            worst = max(one.primary_spread for one in points), max(one.backup_spread for one in points)
            yield (
                f"| {history} | `{policy.name}` | {end.copies_moved:,} | {worst[0]} | {worst[1]} "
                f"| {end.meetings} | {len(end.copysets)}"
            )
            if end.short:
                yield f"not so: history {history} has {end.short} steps with fewer copies"
            if history == 5:
                yield f"{zone_loss(end, 0.05):.3g}"
            if history == 1:
                yield from (f"{zone_loss(end, chance):.3g} |" for chance in (0.01, 0.05, 0.2))


def mutants() -> Iterator[str]:
    """Yield the table of section 6."""
    from suite.zoo.members import MEMBER_MUTANTS

    for one in MEMBER_MUTANTS:
        if one.number in ("X16", "M10", "X03", "X10"):
            with one.plant():
                found = sum(bool(one.search(seed).broken) for seed in range(FIRST, FIRST + RUNS))
            share = share_interval(found, RUNS)
            low, high = (f"{bound * 100:.2g}" for bound in (share.low, share.high))
            yield f"| {one.number} `{one.name}` | {found} of {RUNS} | {share.value * 100:.2g} % ({low} to {high}) |"


def _percent(share: float) -> str:
    return f"{share * 100:.2g} %"
