"""The results of many runs, simulated or live, and the exit status that they have together.

No other module makes one status of many runs: `simulate`, `replay` and `check --runs` all use this one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridproof_model.events.fault_counts import FaultCounts, missed_faults
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.by_proof import Share
from gridproof_properties.judging.verdict import (
    PromiseLevel,
    Reason,
    Result,
    Standing,
    Verdict,
    Weakness,
    is_blind,
    standing_of,
    weaknesses_of,
)

if TYPE_CHECKING:  # showing recorded runs needs no simulator
    from gridproof_properties.campaign.scenarios import JudgedRun


@dataclass(slots=True)
class Tally:
    """The results of many runs; in memory it grows only with the number of failures."""

    runs: int = 0
    events: int = 0
    operations: int = 0
    virtual_ms: int = 0
    standings: Counter[tuple[str, Standing]] = field(default_factory=Counter)
    """For each property and standing, in how many runs the verdict on the property had that standing."""
    compared: Counter[str] = field(default_factory=Counter)
    """For each property, the number of comparisons in scope."""
    promised: Counter[str] = field(default_factory=Counter)
    """For each property, in how many runs the property was promised under the faults of the run."""
    met: Counter[str] = field(default_factory=Counter)
    """For each property, in how many of these runs the property held."""
    blind: list[int] = field(default_factory=list)
    """The seeds of runs in which no promised property was compared."""
    idle: int = 0
    """The number of runs in which changes were asked for and none of them was acknowledged."""
    faults: FaultCounts = field(default_factory=FaultCounts)
    """How often each fault affected a member, or affected none, and why not."""
    weaknesses: dict[Weakness, tuple[int, int]] = field(default_factory=dict)
    """For each property, cause and source, the comparisons out of scope, and how many of these failed."""
    by_proof: Counter[tuple[str, str, Share]] = field(default_factory=Counter)
    """For each specification, claim and `Share`, in how many runs the claim has that share."""
    failures: "list[Failure]" = field(default_factory=list)

    def add(self, run: "JudgedRun") -> None:
        """Add the verdicts, faults, events, operations and virtual time of one simulated run."""
        self.events += run.end.events
        self.operations += run.end.operations
        self.virtual_ms += run.end.virtual_ms
        self.count(run.scenario.seed, run.verdicts, run.end.faults, is_idle=run.is_idle)

    def count(self, seed: int, verdicts: Sequence[Verdict], faults: FaultCounts, *, is_idle: bool = False) -> None:
        """Add the results of one run, simulated or live."""
        self.runs += 1
        self.idle += is_idle
        self.faults.update(faults)
        for verdict in verdicts:
            standing = standing_of(verdict)
            self.standings[verdict.property, standing] += 1
            self.compared[verdict.property] += verdict.compared
            if (found := verdict.by_proof) is not None:
                self.by_proof.update((found.specification, claim, share) for claim, share in found.shares())
            if verdict.promise is PromiseLevel.PROMISED:
                self.promised[verdict.property] += 1
                self.met[verdict.property] += standing is Standing.HELD
            if standing is Standing.BROKEN or verdict.reason is Reason.JUDGE_FAILED:
                self.failures.append(Failure(seed, verdict.property, verdict.sentence, verdict.result))
        if is_blind(verdicts):
            self.blind.append(seed)
        for key, counts in weaknesses_of(verdicts).items():
            self._admit(key, counts)

    def join(self, other: "Tally") -> None:
        """Add what was counted in other runs."""
        self.runs += other.runs
        self.events += other.events
        self.operations += other.operations
        self.virtual_ms += other.virtual_ms
        self.idle += other.idle
        for name in ("standings", "compared", "promised", "met", "faults", "by_proof"):
            getattr(self, name).update(getattr(other, name))
        self.blind += other.blind
        for key, counts in other.weaknesses.items():
            self._admit(key, counts)
        self.failures += other.failures

    def unseen(self, names: Iterable[str], at_least: int) -> tuple[str, ...]:
        """Return those of the `names` that were never broken, and that held, where promised, in fewer than `at_least`
        runs."""
        return tuple(name for name in names if self.met[name] < at_least and not self.standings[name, Standing.BROKEN])

    @property
    def is_idle(self) -> bool:
        """Whether changes were asked for in every run, and none was acknowledged in any."""
        return 0 < self.runs == self.idle

    def never_looked_at(self, name: str) -> bool:
        """Return whether no run had the records that a property needs."""
        return self.standings[name, Standing.NOT_LOOKED_AT] == self.runs

    def exit_status(self, promised: Iterable[str], at_least: int = 1, asked: Collection[str] = ()) -> int:
        """Return the exit status of all runs together; broken takes precedence over unknown.

        The status is unknown if a judge failed, or if a promise held in too few runs; and, however few runs are enough,
        if a promise held in no run, no promised property was compared in some run, a fault that was `asked` for
        affected no member, or changes were asked for in every run and acknowledged in none.
        """
        if any(failure.result is Result.BROKEN for failure in self.failures):
            return ExitStatus.BROKEN
        names = tuple(promised)
        is_unknown = (
            self.failures
            or self.blind
            or self.unseen(names, at_least)
            or not any(self.met[name] for name in names)
            or missed_faults(self.faults, asked)
            or self.is_idle
        )
        return ExitStatus.UNKNOWN if is_unknown else ExitStatus.HOLDS

    def _admit(self, key: Weakness, counts: tuple[int, int]) -> None:
        compared, failed = self.weaknesses.get(key, (0, 0))
        self.weaknesses[key] = (compared + counts[0], failed + counts[1])


@dataclass(frozen=True, slots=True)
class Failure:
    """One seed whose run broke a promise, or made a judge raise an error."""

    seed: int
    property: str
    sentence: str
    result: Result
