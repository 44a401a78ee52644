"""Estimates the probability of rare losses by splitting runs: levels are numbers of copies that are left.

First, this file counts the copies that are left of acknowledged changes while a run goes on.

A copy counts if its member lives, if the member's own table has the member in the partition's row, and if the copy
holds all that was acknowledged: every append, and for each entry no value that an acknowledged write has replaced. A
copy need not hold writes that are under way. For counters, queues, locks and sets it is not known what a copy lacks:
there, each living member of the row counts as a copy.

Second, it estimates the probability that a simulated run loses an acknowledged write, if hardly any run does.

Runs of whole grids are split with fixed effort (`measuring/fixed_effort.py`). A level is a number of copies: the fewest
that any partition with acknowledged writes has left. A run reaches a level when a member ends and, for the first time,
no more copies are left than the level says. When a run reaches a level, it is stopped. A trial from that level repeats
the run up to the moment at which it reached the level, with the same random draws, and goes on with new draws: messages
take other times, and others are lost; other members start; and crashes and repairs are drawn again, given which members
lived and which were away at that moment. What clients ask for stays the same in every trial. A run that ends with a
loss although it never had so few copies counts as one that reached the level, so that no way to lose a write is left
out.

Crashes come from the renewal process that the options name; faults that a seed draws stay the same in every trial.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic

from gridproof_implementation.simulator.draw import draw_crashes_anew, draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.looking import entries_of
from gridproof_implementation.simulator.run import Redraw, is_of_clients, simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_implementation.simulator.work_limit import EndlessWork
from gridproof_implementation.simulator.world import World
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_model.user_error import UserError
from gridproof_properties.campaign.effort import Effort
from gridproof_properties.campaign.workers import Workers, open_workers
from gridproof_properties.judging.acknowledged import effect_of
from gridproof_properties.measures import writes
from gridproof_properties.measures.writes import History
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import Batch, Split, climb, split_of


@dataclass(slots=True)
class _Entry:
    """The acknowledged writes of one entry."""

    newest: str | None
    older: set[str | None] = field(default_factory=set)

    def is_held(self, value: str | None) -> bool:
        """Whether a copy with this value lacks nothing: the value may also be that of a newer write under way."""
        return value == self.newest or not (value is None or value in self.older)


@dataclass(slots=True)
class _Partition:
    """The acknowledged changes in one partition."""

    appended: set[str] = field(default_factory=set)
    entries: dict[str, _Entry] = field(default_factory=dict)

    def is_held(self, contents: Mapping[str, str]) -> bool:
        """Return whether a copy with these contents, given by structure and key, holds all that was acknowledged."""
        values = {place.partition("/")[2]: value for place, value in contents.items()}
        return self.appended <= set(contents.values()) and all(
            entry.is_held(values.get(key)) for key, entry in self.entries.items()
        )


@dataclass(slots=True)
class CopiesLeft:
    """Follows the answers to clients, and counts the copies left when asked to."""

    copies: int
    """The number of copies that each partition should have by configuration."""
    _partitions: dict[int, _Partition] = field(default_factory=dict)

    def observe(self, record: OperationRecord) -> None:
        """Record an answer to a client."""
        if record.outcome is not Outcome.OK or record.partition is None or not is_of_clients(record.stage):
            return
        effect = effect_of(record)
        if record.kind is OperationKind.APPEND:
            self._of(record.partition).appended.add(record.value or "")
        elif effect is not None:
            entries = self._of(record.partition).entries
            known = entries.setdefault(record.key, _Entry(effect.value))
            known.older.add(known.newest)
            known.newest = effect.value
            known.older.discard(effect.value)
        elif record.kind not in (OperationKind.READ, OperationKind.READ_BACKUP):
            self._of(record.partition)

    def fewest(self, world: World) -> int:
        """Return how many copies are left of the partition that has fewest among those with acknowledged writes; the
        configured number if no partition has such writes."""
        counts = [
            sum(self._is_copy(host, number, partition) for host in world.latest_hosts)
            for number, partition in self._partitions.items()
        ]
        return min(counts, default=self.copies)

    def _of(self, partition: int) -> _Partition:
        return self._partitions.setdefault(partition, _Partition())

    def _is_copy(self, host: Host, number: int, partition: _Partition) -> bool:
        if not host.alive:
            return False
        row = host.member.node.partitions.rows[number]
        return host.description.id in row.slots[: self.copies] and partition.is_held(
            entries_of(host, number, self.copies)
        )


GOAL = "runs_with_loss"
"""The name that this estimate has in campaigns."""
USUAL_EFFORT = Effort()
Progress = Callable[[str, int, int | None], None]
NOTHING_RECORDED = frozenset[type[TraceEvent]]()


class UnsplittableError(UserError, ValueError):
    """Raised for runs that cannot be split; the message is one line, with the reason and the cure."""


@dataclass(frozen=True, slots=True)
class Path:
    """A run up to the moment when it reached a level: its seed, the later redraws of random numbers, and the moment."""

    seed: int
    redraws: tuple[Redraw, ...] = ()
    at_us: int = -1
    """The moment in virtual microseconds; all that happens at that moment has happened."""
    copies: int = 0
    """The copies left at that moment; -1 if the run ended with a loss."""

    def onward(self, seed: str) -> "Path":
        """Return a continuation of the run, in which everything is drawn anew from here on."""
        return replace(self, redraws=(*self.redraws, Redraw(self.at_us + 1, seed)))


@dataclass(frozen=True, slots=True)
class RunSplitter:
    """Splits the runs that are drawn with given options."""

    draw_options: DrawOptions
    effort: Effort = USUAL_EFFORT

    def __post_init__(self) -> None:
        cell = self.draw_options.cell
        if not cell.plain or self.draw_options.faults or self.draw_options.minutes:
            raise UnsplittableError("its runs must be of a plain grid without faults; set grid=plain and no faults")
        if cell.crash is None:
            raise UnsplittableError("no member crashes in its runs, so no copy is lost; set crash, such as '1/60s'")

    def probability(self, progress: Progress = lambda _what, _done, _of: None) -> Split:
        """Return the probability that a run loses an acknowledged write; raise UnmeasurableError if no trial reached a
        loss."""
        began, workers, batches = monotonic(), self.effort.workers or os.cpu_count() or 1, list[Batch]()
        with open_workers(workers) if workers > 1 else nullcontext() as pool:
            for batch in self._made(pool):
                batches.append(batch)
                progress("splitting", len(batches), self.effort.batches)
        return split_of(GOAL, self.levels(), batches, monotonic() - began)

    def levels(self) -> range:
        """Return the numbers of copies at which runs are split: from one less than all copies down to none."""
        scenario = draw_scenario(0, self.draw_options)
        return range(min(scenario.members, 1 + scenario.backups.total) - 1, -1, -1)

    def batch(self, number: int) -> Batch:
        """Go through all levels once, for one batch of trials."""
        dice, steps = Random(f"splitting {self.effort.seed} {number}"), 0

        def trial(start: Path, level: int | None) -> Path | None:
            nonlocal steps
            if start.copies < 0 or (level is not None and start.at_us >= 0 and start.copies <= level):
                return start
            begins = Path(dice.getrandbits(60)) if start.at_us < 0 else start.onward(f"{dice.getrandbits(60)}")
            run = _Trial(self.draw_options, begins, level)
            reached = run.go()
            steps += run.steps
            return reached

        return replace(climb(dice, [Path(0)], self.levels(), self.effort.trials, trial), steps=steps)

    def _made(self, pool: Workers | None) -> Iterator[Batch]:
        numbers = range(self.effort.batches)
        if pool is None:
            return map(self.batch, numbers)
        waiting = [pool.submit(self.batch, number) for number in numbers]
        return (future.result() for future in waiting)


class _BrokenOff(Exception):  # noqa: N818 - nothing failed
    """Raised by the sink of a run to break the run off, as the rest of it is not needed."""


@dataclass(slots=True)
class _Trial:
    """One run, up to a level or until it comes to rest."""

    draw_options: DrawOptions
    begins: Path
    level: int | None
    """The level that the run should reach; None if it should go on until it comes to rest."""
    steps: int = 0
    _scenario: Scenario = field(init=False)
    _copies: CopiesLeft = field(init=False)
    _history: History = field(default_factory=History)
    _world: World | None = None
    _reached: Path | None = None
    _is_over: bool = False

    def __post_init__(self) -> None:
        self._scenario = draw_scenario(self.begins.seed, self.draw_options)
        self._copies = CopiesLeft(1 + self._scenario.backups.total)

    def go(self) -> Path | None:
        """Return the run up to the moment when it reached the level; None if it came to rest without a loss."""
        try:
            simulate(
                self._scenario, self._take, self._scripts(), recorded=NOTHING_RECORDED, redraws=self.begins.redraws,
                visit=self._visit,
            )  # fmt: skip
        except _BrokenOff:
            pass
        except EndlessWork as endless:
            why = f"a run from seed {self.begins.seed} does not end: {endless}"
            raise UnmeasurableError(f"{why}; this is a defect of gridproof: report it") from None
        self.steps = 0 if self._world is None else self._world.events
        if self._reached is not None:
            return self._reached
        return replace(self.begins, copies=-1, at_us=0) if writes.measure(self._history)["lost"] else None

    def _visit(self, world: World) -> None:
        self._world = world

    def _scripts(self) -> Iterator[Script]:
        """Yield the script at the moment when its clients begin; the times of crashes are counted from then."""
        assert self._world is not None, "the world is visited first"
        began_us = self._world.now_us
        anew = [(redraw.at_us - 1 - began_us, redraw.seed) for redraw in self.begins.redraws]
        yield draw_crashes_anew(self._scenario, self.draw_options, anew)

    def _take(self, record: Record) -> None:
        match record:
            case _ if self._is_over:
                return
            case OperationRecord():
                self._history.observe(record)
                self._copies.observe(record)
            case MemberRecord() if record.change is not MemberChange.JOINED:
                self._look()
            case _:
                pass

    def _look(self) -> None:
        """Break the run off if no more copies are left than the level, or if a member ends after reads at rest."""
        assert self._world is not None, "the world is visited first"
        copies = self._copies.fewest(self._world)
        if any(key.final is not None for key in self._history.keys.values()):
            self._break_off()
        elif self.level is not None and copies <= self.level:
            self._reached = replace(self.begins, at_us=self._world.now_us, copies=copies)
            self._break_off()

    def _break_off(self) -> None:
        self._is_over = True
        raise _BrokenOff
