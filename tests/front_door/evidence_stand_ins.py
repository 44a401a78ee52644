"""What stands in while lines of evidence are typed, where the thing itself takes minutes.

A line's own path stays: what is cut short is how many keys are asked for, how long clients work, which seeds are
measured; what stands in for members of Hazelcast ends each story as not played.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from types import SimpleNamespace

import pytest

from gridproof.arguments.followed import Subject, SubjectOfCommand
from gridproof.checks import run
from gridproof_implementation.live import draw
from gridproof_properties.audits.conformance import Extent
from gridproof_properties.stories import record
from gridproof_properties.stories.setting import NotPlayedError
from gridproof_reports.campaigns import campaign
from gridproof_reports.campaigns.plan import Part
from gridproof_reports.campaigns.rows import make_part
from suite.blind.attack import Attack, Fate
from suite.blind.by_tests import Suite
from suite.blind.mutations import BlindMutant
from suite.blind.search import BlindSearch
from suite.commands import blind, reach, tests
from suite.followed import SuiteSubject
from suite.reach import page as pages
from suite.reach.measure import Reach, ReachOfRun, measure


def ask_for_few_keys(patch: pytest.MonkeyPatch) -> None:
    """Let an audit of routes ask for some keys of each type."""
    patch.setattr(run, "Extent", partial(Extent, random_keys_per_type=20))


def work_briefly(patch: pytest.MonkeyPatch) -> None:
    """Let clients of live runs work for a second."""
    patch.setattr(draw, "BEFORE_MS", 300)
    patch.setattr(draw, "AFTER_MS", 600)


@cache
def reached(seeds: range) -> Reach:
    """Return what these seeds reach."""
    return measure(seeds)


def measure_little(patch: pytest.MonkeyPatch) -> None:
    """Let a page be checked by two runs, and blind mutants be measured by none."""

    def runs_of(_seeds: Sequence[int], workers: int) -> Iterator[ReachOfRun]:
        print(f"{workers} at a time")
        yield from reached(range(2)).runs

    patch.setattr(pages, "runs_of", runs_of)
    patch.setattr(reach, "measure", lambda seeds, *_: reached(seeds))


def attack_at_once(patch: pytest.MonkeyPatch) -> None:
    """Let blind mutants be killed at once, and say what they were given."""

    given = Counter[str]()

    def attack(search: BlindSearch, mutant: BlindMutant) -> Attack:
        said = f"{given['runs']} runs, by {given['workers']} at a time, and a search of at most {search.budget_s:g}"
        return Attack(mutant, Fate.KILLED, 7, 2, 0.5, "comes-to-rest", said, 3)

    def measured(seeds: range, workers: int, *_: object, **__: object) -> Reach:
        given.update({"runs": len(seeds) - given["runs"], "workers": workers - given["workers"]})
        return Reach()

    patch.setattr(blind, "measure", measured)
    patch.setattr(blind, "records_of_reference", lambda *_: {})
    patch.setattr(BlindSearch, "attack", attack)


def ask_no_test(patch: pytest.MonkeyPatch) -> None:
    """Let mutants of a suite be counted as killed, and say what was to be drawn."""

    def attack(suite: Suite, sample: int, seed: int, module: str) -> int:
        print(f"{sample} of {suite.name}, drawn by {seed}, of modules with {module!r}")
        return 0

    patch.setattr(tests, "preload", lambda: None)
    patch.setattr(tests, "attack", attack)


def play_on_nothing(patch: pytest.MonkeyPatch) -> None:
    """Let no member start: each story is not played, with a step that says on which version."""

    class NoStage(SimpleNamespace):
        def __getattr__(self, name: str) -> object:
            raise NotPlayedError(f"nobody started for {name}")

    @contextmanager
    def open_nothing(_setting: object, version: str) -> Iterator[NoStage]:
        yield NoStage(steps=[f"members of {version} were asked for"])

    patch.setattr(record, "open_stage", open_nothing)


def simulate_here(patch: pytest.MonkeyPatch) -> None:
    """Let this process do what Spark's executors do."""

    @contextmanager
    def open_here(master: str) -> Iterator[Callable[..., Iterator[tuple[Part, bytes]]]]:
        print(f"executors of {master}")
        yield lambda work: ((part, make_part(part, cell, drawn, steps=steps)) for part, cell, drawn, steps in work)

    patch.setattr(campaign, "_open_executors", open_here)


STAND_INS: Mapping[SubjectOfCommand, Callable[[pytest.MonkeyPatch], None]] = {
    Subject.ROUTER: ask_for_few_keys,
    Subject.LIVE_RUNS: work_briefly,
    Subject.LIVE_SCENARIO: work_briefly,
    SuiteSubject.REACH_CHECKED: measure_little,
    SuiteSubject.REACH_REASONS: measure_little,
    SuiteSubject.BLIND_MUTANTS: attack_at_once,
    SuiteSubject.TESTS: ask_no_test,
    Subject.STORIES_PLAYED: play_on_nothing,
    Subject.CAMPAIGN: simulate_here,
}
