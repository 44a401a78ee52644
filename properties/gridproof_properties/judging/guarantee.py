"""What each property claims, and what limits it.

Limits are the only way to narrow a claim. A property lists its **limits**: recorded causes, each with the source that
says so. A judge reports every comparison that it makes, together with the partition and the time interval that the
comparison is about. If no listed cause was in effect on that partition in that interval, the comparison counts: it can
break the property. Otherwise the comparison is out of scope; it is still counted under its cause, which shows how often
the admitted weakness could have shown and how often it did.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import assert_never

from gridproof_model.events.conditions import Admitted
from gridproof_model.events.words import Admission
from gridproof_model.value import Immutable
from gridproof_properties.judging.by_proof import ByProof
from gridproof_properties.judging.causes import WORDS, Cause
from gridproof_properties.judging.comings import Comings
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.incidents import Incident
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.verdict import OutOfScope, Reason, Refusal, Result
from gridproof_properties.judging.words import Number, in_one_sentence, shortened

Span = tuple[float, float]
"""The earliest and latest time at which something may have happened, in milliseconds of the run."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What suspends a property's promise for a partition, for as long as it lasts."""

    causes: Cause
    """Any one of these causes suspends the promise."""
    source: str
    """The place where the documents say that nothing is promised in this case: a section of a reference, or a seed. The
    documents of Hazelcast admit such a case; the limit applies to every system that admits the same weaknesses
    (`Admission`)."""
    anybody: str = ""
    """Why no system promises anything in this case, unless the system says otherwise: the property is about something
    else, or the harness did what no system has to withstand."""
    for_good: bool = False
    """Whether the promise remains suspended after the grid has come to rest again."""
    unless_strict: bool = False
    """Whether this limit applies only where calls with an unknown outcome do not fail as indeterminate."""
    only_stale_reads: bool = False
    """Whether this limit applies only if reads are served while a partition migrates."""
    at_end: bool = False
    """Whether the cause has to be in effect when the interval of the comparison ends, as when a read is answered."""
    only_with: Cause = Cause.NONE
    """Another cause that has to have been in effect, too; NONE if there is no such condition."""
    bits: int = field(init=False, repr=False, compare=False)
    """The causes as a plain number, one bit for each, for quick look-ups."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", self.causes.value)

    def find(self, conditions: RunConditions, partition: int | None, start_ms: float, end_ms: float) -> Incident | None:
        """Return the incident that suspends the promise, or None if there is none."""
        configured = conditions.configured
        if self.unless_strict and configured is not None and configured.strict:
            return None
        if self.only_stale_reads and configured is not None and not configured.stale_reads:
            return None
        if self.for_good:
            incident = conditions.incidents.find_ever(self.causes, partition, end_ms)
        else:
            incident = conditions.incidents.find(self.causes, partition, end_ms if self.at_end else start_ms, end_ms)
        if incident is None or not self.only_with:
            return incident
        return incident if conditions.incidents.find(self.only_with, partition, start_ms, end_ms) is not None else None


CALM_ONLY = "the property is about what nothing happened to"
OF_ONE_CRASH = "the property is about one member that crashed, and nothing else"
NOT_ABOUT = "the property says nothing of that"
DONE_BY_THE_HARNESS = "the harness itself did that, and no connection of TCP does"
_BY_THE_HARNESS = Cause.MESSAGE_LOST | Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER
"""Causes that suspend a promise of every system, provided that they are among the limits of the property."""


def limits_for(limits: Sequence[Limit], admits: Admission, *, is_declined: bool) -> tuple[Limit, ...]:
    """Return a property's limits for a system that admits a named set of weaknesses; there are fewer limits if the
    system promises the property in spite of this set."""
    match admits:
        case Admission.HAZELCAST if not is_declined:
            return tuple(limits)
        case Admission.HAZELCAST | Admission.NOTHING:
            meant = (replace(limit, source=limit.anybody) for limit in limits if limit.anybody)
            done = (
                replace(limit, causes=limit.causes & _BY_THE_HARNESS, source=DONE_BY_THE_HARNESS, for_good=True)
                for limit in limits
                if not limit.anybody and limit.causes & _BY_THE_HARNESS
            )
            return (*meant, *done)
        case _:
            assert_never(admits)


@dataclass(frozen=True, slots=True)
class Finding(Immutable):
    """What a judge found, before it is combined with the promise of the system under test."""

    result: Result
    sentence: str
    witness: tuple[str, ...] = ()
    compared: int = 0
    """How many comparisons in scope could have failed."""
    reason: Reason | None = None
    """Why the property is unknown; None means that what the judge looks for never happened."""
    out_of_scope: tuple[OutOfScope, ...] = ()
    refusal: Refusal | None = None
    """For a broken refinement, the event that was refused."""
    by_proof: ByProof | None = None
    """For a refinement that holds or was cut short, the claims that hold in every behaviour that explains the run."""


def broken(witness: Sequence[str], counted: str, compared: int, out_of_scope: tuple[OutOfScope, ...] = ()) -> Finding:
    """Return the finding that a property is broken: the story of the failure, and how many comparisons failed."""
    witness = tuple(map(shortened, witness))
    wrong, *others = witness or ("",)
    also = f"; also seen: {in_one_sentence(others)}" if others else ""
    sentence = f"{wrong} ({counted}){also}" if wrong else counted
    return Finding(Result.BROKEN, sentence, witness, compared, None, out_of_scope)


def unseen(why: str) -> Finding:
    """Return the finding that nothing was compared; `why` is a clause that says what did not happen."""
    return Finding(Result.UNKNOWN, f"{why}, so nothing was compared", reason=Reason.NEVER_MET)


def not_mostly_elsewhere(finding: Finding) -> Finding:
    """Return a finding; "holds" becomes unknown if more comparisons failed out of scope than were made in scope."""
    failed = sum(one.failed for one in finding.out_of_scope)
    if finding.result is not Result.HOLDS or failed <= finding.compared:
        return finding
    most = max(finding.out_of_scope, key=lambda one: one.failed)
    total = sum(one.compared for one in finding.out_of_scope)
    said = f"{finding.sentence}; but of {total:,} comparisons out of scope ({most.cause}) {failed:,} failed, more than "
    said += f"the {finding.compared:,} that were made in scope, so nothing is concluded"
    return replace(finding, result=Result.UNKNOWN, sentence=said, reason=Reason.OUT_OF_SCOPE)


@dataclass(slots=True)
class _Count:
    compared: int = 0
    failed: int = 0


_UNSEEN = RunConditions()
"""The conditions of a run without records."""


@dataclass(slots=True)
class Comparisons:
    """The comparisons of one judge, in scope and out of scope."""

    limits: Sequence[Limit] = ()
    conditions: RunConditions = field(default_factory=lambda: _UNSEEN)
    """The conditions of the run, which all judges share; the creator of the judges shows them the records."""
    name: str = ""
    """The name of the property."""
    compared: int = 0
    failed: int = 0
    witness: tuple[str, ...] = ()
    """The story of the first failure in scope."""
    calm: int = 0
    """How many failures in scope lie in calm parts of the run (`FaultSpans.is_calm`)."""
    calm_witness: tuple[str, ...] = ()
    """The story of the first failure in a calm part."""
    is_timeless: bool = False
    """Whether the property is not about a moment, so that no fault suspends it (`Property.is_timeless`)."""
    unadmitted: tuple[str, ...] = ()
    """For a finding about a whole run, if the system admits weaknesses: the story of the first failure during which
    none of these weaknesses was in effect."""
    effects: Sequence[Span] | None = None
    """When admitted weaknesses of this property were in effect, if this was found outside of the judge; else None."""
    _out: dict[tuple[str, str], _Count] = field(default_factory=dict)

    @property
    def comings(self) -> Comings:
        """Which members joined and ended."""
        return self.conditions.comings

    @property
    def scene(self) -> Scene:
        """The members, and which of them were alive in the latest view."""
        return self.conditions.scene

    def is_at_rest(self, partition: int | None) -> bool:
        """Whether the grid was last seen at rest, and nothing has happened to a partition since."""
        return self.conditions.comings.at_rest and self.conditions.incidents.is_calm(partition)

    def add(
        self,
        partition: int | None,
        start_ms: float,
        end_ms: float = inf,
        story: Sequence[str] | None = None,
        also: tuple[str, str] | None = None,
    ) -> bool:
        """Count one comparison about a partition (None: any) and an interval; it failed if a `story` is given.

        `also` is a further cause, with its source, that the judge itself found for the call or key compared. Return
        whether the comparison was in scope.
        """
        if also is not None and self.conditions.admits is Admission.NOTHING:
            also = also[0], NOT_ABOUT
        is_limited = self.conditions.incidents.begun or self.conditions.admitted
        why = also or (self.find_limit(partition, start_ms, end_ms) if is_limited else None)
        if why is None:
            self.compared += 1
            if story is not None:
                self.failed += 1
                self.witness = self.witness or tuple(story)
                self.note_calm(start_ms, end_ms, story)
            return True
        known = self._out.setdefault(why, _Count())
        known.compared += 1
        known.failed += story is not None
        return False

    def note_calm(self, start_ms: float, end_ms: float, story: Sequence[str]) -> bool:
        """Count a failure if its interval lies in a calm part of the run; return whether it does."""
        is_calm = self.conditions.fault_spans.is_calm(start_ms, end_ms)
        if is_calm:
            self.calm += 1
            self.calm_witness = self.calm_witness or tuple(story)
        return is_calm

    def note_failures(self, spans_ms: Iterable[Span], story_of: Callable[[int], Sequence[str]]) -> None:
        """Keep the stories of two failures for a finding about a whole run: the first failure in a calm part of the
        run, and the first failure while no weakness that the system admits was in effect.

        Each failure has a time span in `spans_ms`. `story_of` returns the story of the failure with a given number,
        that is, the sentences that say what happened.
        """
        is_admitting, seen = not self.unadmitted and (self.effects is not None or bool(self._admitted())), set[Span]()
        for number, span in enumerate(spans_ms):
            if self.calm and not is_admitting:
                return
            if span in seen:
                continue
            seen.add(span)
            if not self.calm and self.conditions.fault_spans.is_calm(*span):
                self.note_calm(*span, story_of(number))
            if is_admitting and not self.is_admitted(*span):
                self.unadmitted, is_admitting = tuple(story_of(number)), False

    def is_admitted(self, start_ms: float, end_ms: float) -> bool:
        """Whether, within an interval, a weakness that the system admits for the property was in effect."""
        if self.effects is not None:
            return any(begin_ms <= end_ms and until_ms >= start_ms for begin_ms, until_ms in self.effects)
        return self._find_weakness(start_ms, end_ms) is not None

    def is_in_scope(self, partition: int | None, start_ms: float, end_ms: float = inf) -> bool:
        """Whether a comparison about a partition and an interval would be in scope."""
        return self.find_limit(partition, start_ms, end_ms) is None

    def conclude(self, counted: str, why_unseen: str, held: str = "") -> Finding:
        """Return the finding: `counted` is a sentence with the numbers `{failed}` and `{compared}`.

        A noun may follow either number after a colon, "{compared:copy/copies}". The sentence on a failure begins with
        its story. `held` is the sentence for a run in which no comparison failed, with "{all} {compared:copy/copies}";
        if it is empty, `counted` is used, and says that none failed. `why_unseen` is a clause that says what did not
        happen; it is used if nothing was compared.
        """
        out = tuple(OutOfScope(cause, source, n.compared, n.failed) for (cause, source), n in self._out.items())
        if self.failed:
            said = _counted(counted, held, self.failed, self.compared)
            return broken(self.witness, said, self.compared, out)
        if self.compared:
            said = _counted(counted, held, 0, self.compared)
            return Finding(Result.HOLDS, said, (), self.compared, None, out)
        if out:
            most = max(out, key=lambda one: one.compared)
            said = _counted(counted, held, sum(one.failed for one in out), sum(one.compared for one in out))
            said += f"; but every comparison was out of scope ({most.cause}), so nothing is concluded"
            return Finding(Result.UNKNOWN, said, (), 0, Reason.OUT_OF_SCOPE, out)
        return unseen(why_unseen)

    def find_limit(self, partition: int | None, start_ms: float, end_ms: float = inf) -> tuple[str, str] | None:
        """Return what suspends the promise for a partition within an interval, and the source that states it."""
        found = self.find_incident(partition, start_ms, end_ms) if self.conditions.incidents.begun else None
        return found or (self._find_weakness(start_ms, end_ms) if self.conditions.admitted else None)

    def find_of_all(self) -> tuple[str, str] | None:
        """Return what suspends the promise for a finding about the whole run; an admitted weakness suspends it only if
        the weakness was in effect at every failure whose time is known."""
        found = self.find_incident(None, 0, inf)
        return found or (None if self.unadmitted else self._find_weakness(0, inf))

    def admitted_spans(self) -> list[tuple[float, float, str, str]]:
        """Return when weaknesses that the system admits for the property were in effect, each with fault and source."""
        return [
            (begin_ms, until_ms, span.fault, _whose(weakness))
            for weakness in self._admitted()
            for span, begin_ms, until_ms in self.conditions.fault_spans.effects_of(weakness)
        ]

    def find_incident(self, partition: int | None, start_ms: float, end_ms: float) -> tuple[str, str] | None:
        """Return the cause and the source of a limit that suspends the promise for a partition within an interval, if
        there is one."""
        begun = self.conditions.incidents.begun
        for limit in self.limits:
            incident = limit.find(self.conditions, partition, start_ms, end_ms) if limit.bits & begun else None
            if incident is not None:
                return WORDS[incident.cause], limit.source
        return None

    def _find_weakness(self, start_ms: float, end_ms: float) -> tuple[str, str] | None:
        """Return the fault that caused a weakness which the system admits for the property, and the source."""
        for weakness in self._admitted():
            span = self.conditions.fault_spans.find(weakness, start_ms, end_ms)
            if span is not None:
                return span.fault, _whose(weakness)
        return None

    def _admitted(self) -> list[Admitted]:
        """Return the weaknesses that the system admits for this property; none if it is promised in spite of them."""
        if self.is_timeless or self.name in self.conditions.declines:
            return []
        return [weakness for weakness in self.conditions.admitted if self.name in weakness.takes]


def _counted(counted: str, held: str, failed: int, compared: int) -> str:
    if held and not failed:
        said = held.format(all="all", compared=Number(compared))
        return said.replace("all 1 ", "the only ").replace("all 2 ", "both ")
    return counted.format(failed=Number(failed) if failed or compared == 1 else "none", compared=Number(compared))


def _whose(weakness: Admitted) -> str:
    return f"{weakness.source} ({weakness.by} says so)"
