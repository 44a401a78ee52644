"""Where a failure is decided is where the curve jumps."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from unittest.mock import patch

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.links import End, Links
from gridproof_implementation.simulator.run import Redraw, simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_model.trace import Record
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.explaining.curve import Curve, Failing, explain, failing_run
from suite.zoo.mutant import ARRANGING, writes
from suite.zoo.named import chosen_mutants, plant

DECIDING = 6
"""Which update of a backup decides it."""
SLOW_US = 475
"""Latencies are spread evenly from 100 to 500 us: one in sixteen is longer."""
_arrivals = Links.arrivals


@contextmanager
def deadly_latency() -> Iterator[list[int]]:
    """Let one update of a backup end the run if it takes long; say when it was sent."""
    sent: dict[int, int] = {}
    decided: list[int] = []

    def arrivals(links: Links, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        found = _arrivals(links, sender, receiver, message, now_us)
        if isinstance(message, Backup):
            sent[id(links)] = sent.get(id(links), 0) + 1
            if sent[id(links)] == DECIDING and found[0] - now_us > SLOW_US:
                sent.clear()
                decided.append(now_us)
                raise ValueError("too slow")
        return found

    with patch.object(Links, "arrivals", arrivals):
        yield decided


@cache
def toy() -> tuple[Curve, int]:
    """Return the curve of the first failing run of the toy, and when its failure was decided."""
    for seed in range(100):
        scripts = (Script((ARRANGING,)), Script(tuple(writes(8))))
        scenario = Scenario(seed, members=2, sync_backups=1, workload="mixed", scripts=scripts)
        with deadly_latency() as decided:
            failing = failing_run(judge_scenario(scenario, refined=False))
            if failing is not None:
                at_us = decided[0]
                return explain(failing, prefixes=18, continuations=8), at_us
    raise AssertionError("no run of the toy fails")


def test_the_share_jumps_where_the_dice_decide() -> None:
    curve, decided_us = toy()

    before, after = curve.rise
    assert before.at_us <= decided_us < after.at_us
    assert after.share == 1.0
    assert before.share < 0.5


def test_halving_finds_the_very_moment() -> None:
    curve, _ = toy()

    before, after = curve.rise
    assert after.place == before.place + 1


def test_whatever_follows_the_deciding_moment_changes_nothing() -> None:
    curve, decided_us = toy()

    assert {point.share for point in curve.points if point.at_us > decided_us} == {1.0}


def leaver() -> Failing:
    """Return a short run in which a leaver is not emptied."""
    mutant = chosen_mutants(["X10"])[0]
    with mutant.plant():
        scenario = mutant.search(43).scenario
        assert scenario is not None
        failing = failing_run(judge_scenario(scenario, refined=False), partial(plant, mutant.number))
    assert failing is not None
    return failing


def test_the_curve_is_the_same_whatever_the_number_of_workers() -> None:
    failing = leaver()

    assert explain(failing, 2, 2, workers=2) == explain(failing, 2, 2, workers=1)


def records_of(scenario: Scenario, redraw: Redraw | None) -> list[Record]:
    """Return what is recorded of a run of the reference."""
    records: list[Record] = []
    simulate(scenario, records.append, redraws=() if redraw is None else (redraw,))
    return records


def test_a_continuation_has_the_prefix_of_its_run_and_goes_on_otherwise() -> None:
    scenario = leaver().scenario

    whole, other = records_of(scenario, None), records_of(scenario, Redraw(1_000_000, "other dice"))

    place = next(place for place, (one, another) in enumerate(zip(whole, other, strict=False)) if one != another)
    assert getattr(other[place], "at_ms", 0) >= 1_000
    assert place > 10


def test_a_continuation_from_the_end_is_the_run_itself() -> None:
    failing = leaver()

    with failing.planting():
        assert failing.breaks_again(Redraw(10**12, "other dice"))
    assert records_of(failing.scenario, Redraw(10**12, "other dice")) == records_of(failing.scenario, None)


def test_what_holds_is_no_failing_run() -> None:
    assert failing_run(judge_scenario(leaver().scenario, refined=False)) is None
