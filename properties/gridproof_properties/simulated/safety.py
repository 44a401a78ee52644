"""Answers to the question of how safe data is.

At rest the answers are "yes"; and whenever an answer is "yes", every member that had to be asked has said that it is
safe (sync.20, sync.19). An answer may be out of date when it is given (limits.12): therefore it is compared only with
what members said after the question was asked.
"""

from dataclasses import dataclass, field
from math import inf
from typing import assert_never

from gridproof_model.events.membership import AnswerOverdue, MemberListInstalled
from gridproof_model.events.partitioning import SafetyChecked
from gridproof_model.events.words import SafetyOf, ServiceState
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
)
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Cause, Judge, Property, Severity, StepJudge, met
from gridproof_properties.judging.resting import describe_operation
from gridproof_properties.judging.timers import FIXED_MS

UNHEARD = "CheckTimesOut"
UNHEARD_MS = FIXED_MS[UNHEARD]
OF_CLUSTER = "safety-cluster"
HURRIED = "safety-hurried"
"""A question that gives the member less time than it may need at rest."""
MADE_MEANWHILE = (
    "a structure was made by a read",
    "sync.4: what the primary has, and the backup has not heard of yet, is not in sync",
)
NOTHING = frozenset({None, "0", "false", "[]", ""})
"""The results of operations that found nothing."""
LONGEST_MS = {"safety-forced": 20_000, HURRIED: 2_000}
"""The longest time that a question gives a member to become safe, by the kind of question."""


@dataclass(slots=True)
class _RestJudge(Judge):
    READS = frozenset({OperationRecord, DigestRecord})
    COUNTED = "{failed} of {compared:question} at rest whether data is safe got a no"
    HELD = "{all} {compared:question} at rest whether data is safe got a yes"
    UNSEEN = "no client asked at rest how safe data is"
    is_synchronised: bool = False
    """Whether anti-entropy had had enough time to repair the copies when they were last read; until then a copy may
    lack updates."""
    answered: list[OperationRecord] = field(default_factory=list)
    """Questions at rest, with their answers."""
    found_nothing: list[tuple[int, int]] = field(default_factory=list)
    """The beginning and end of each operation at rest that found nothing, except questions about how safe data is."""

    def observe(self, record: Record) -> None:
        if isinstance(record, DigestRecord):
            self.is_synchronised = record.settled
        elif isinstance(record, OperationRecord) and record.outcome is Outcome.OK and self.is_synchronised:
            self._ended(record)

    def _ended(self, record: OperationRecord) -> None:
        if not self.comparisons.conditions.rest.is_at_rest(record):
            return
        if record.kind is not OperationKind.ASK_SAFE:
            if record.value in NOTHING:
                self.found_nothing.append((record.start_ms, record.end_ms))
        elif record.key != HURRIED:  # questions without an answer are judged as resources of their member
            self.answered.append(record)

    def finish(self) -> None:
        for record in self.answered:
            is_no = record.value != "true"
            story = (f"{describe_operation(record)}; at rest data is safe, and the answer has to be 'true'",)
            also = MADE_MEANWHILE if is_no and self._may_be_made(record) else None
            self.comparisons.add(None, record.start_ms + 0.5, record.end_ms, story if is_no else None, also)

    def _may_be_made(self, question: OperationRecord) -> bool:
        """Whether an operation meanwhile looked for something absent; such an operation creates a structure on the
        primary only."""
        return any(start <= question.end_ms and question.start_ms <= end for start, end in self.found_nothing)


@dataclass(slots=True)
class _PromptJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = frozenset({OperationKind.ASK_SAFE})
    COUNTED = "{failed} of {compared:question} that give a member a time to become safe got their answer too late"
    HELD = "{all} {compared:question} that give a member a time to become safe got their answer within this time"
    UNSEEN = "no member was given a time to become safe"

    def observe(self, record: Record) -> None:
        # Unanswered questions about safety are not judged here, but as resources of the member that was asked.
        if isinstance(record, OperationRecord) and record.outcome is Outcome.OK and record.key in LONGEST_MS:
            longest_ms = LONGEST_MS[record.key]
            late = f"{record.end_ms - record.start_ms:,} ms after the question, but the member has to answer within "
            late += f"the time that it was given to become safe, {longest_ms:,} ms"
            story = (f"{describe_operation(record)}, {late}",)
            is_late = record.end_ms - record.start_ms > longest_ms
            self.comparisons.add(None, record.start_ms, record.end_ms, story if is_late else None)


@dataclass(slots=True)
class _TruthJudge(StepJudge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.ASK_SAFE})
    COUNTED = "{failed} of {compared:yes/yeses} to the question whether data is safe came too early"
    UNSEEN = "no client was answered that data is safe"
    safe_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last said that it is safe."""
    cluster_safe_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last found that the whole cluster is safe."""
    lists: dict[int | None, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """For each member, its list, and since when it has had that list."""
    checked_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last ended a check of safety."""
    unheard_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last waited in vain for an answer to its question how safe data is."""
    answered: list[OperationRecord] = field(default_factory=list)
    """The answers "yes" that are not compared yet: a step on which an answer rests may be recorded later in the same
    millisecond."""

    def observe(self, record: Record) -> None:
        if isinstance(record, OperationRecord):
            if record.kind is OperationKind.ASK_SAFE and record.outcome is Outcome.OK and record.value == "true":
                self.answered.append(record)
        else:
            StepJudge.observe(self, record)

    def finish(self) -> None:
        self._compare_until(inf)
        StepJudge.finish(self)

    def look(self, record: EventRecord, event: SafetyChecked | MemberListInstalled | AnswerOverdue) -> str | None:
        self._compare_until(record.at_ms)
        match event:
            case MemberListInstalled(members=members):
                self.lists[record.member] = record.at_ms, members
            case AnswerOverdue(kind=kind):
                if kind == UNHEARD:
                    self.unheard_ms[record.member] = record.at_ms
            case SafetyChecked(whose=whose, state=state):
                # A safety check that found the grid unsafe leaves timers; the last of these may end the next check.
                since_ms = self.checked_ms.get(record.member, -UNHEARD_MS - 1)
                is_first = whose is SafetyOf.MEMBER and since_ms < record.at_ms - UNHEARD_MS
                self.checked_ms[record.member] = record.at_ms
                if state is ServiceState.SAFE:
                    if is_first and self.unheard_ms.get(record.member) == record.at_ms:
                        self.looked += 1
                        return (
                            f"member {record.member} said that it is safe, though its own question how safe data is "
                            "had got no answer in time; a member may say so only after it has been answered itself"
                        )
                    known = self.safe_ms if whose is SafetyOf.MEMBER else self.cluster_safe_ms
                    known[record.member] = record.at_ms
            case _:
                assert_never(event)
        return None

    def _compare_until(self, now_ms: float) -> None:
        """Compare the answers "yes" that were given before now."""
        for asked in [one for one in self.answered if one.end_ms < now_ms]:
            self.answered.remove(asked)
            self._compare(asked)

    def _compare(self, asked: OperationRecord) -> None:
        """Compare an answer "yes" with what members said after the question was asked."""
        if asked.member not in self.lists:
            return  # the steps of that member are not recorded
        if asked.key == OF_CLUSTER and self.cluster_safe_ms.get(asked.member, -1) < asked.start_ms:
            unfounded = (
                f"{describe_operation(asked)}, though between question and answer member {asked.member} had not found "
                "the cluster to be safe; a member has to find this before it answers so",
            )
            self.comparisons.add(None, asked.start_ms, asked.end_ms, unfounded)
            return
        since_ms, members = self.lists[asked.member]
        owed = members if asked.key == OF_CLUSTER else (asked.member,)
        if since_ms >= asked.start_ms or not owed:
            return  # which members had to be asked is not known: the list changed meanwhile
        silent = [member for member in owed if self.safe_ms.get(member, -1) < asked.start_ms]
        story = None
        if silent:
            rule = "each member that is asked has to say that it is safe before data may be called safe"
            said = f"though between question and answer members {silent} had not said that they are safe"
            story = (f"{describe_operation(asked)}, {said}; {rule}",)
        self.comparisons.add(None, asked.start_ms, asked.end_ms, story)


SAFE_AT_REST = Property(
    name="safe-at-rest",
    sentence="A client that asks at rest how safe data is gets the answer that it is safe.",
    source="sync.19",
    severity=Severity.AVAILABILITY,
    start=_RestJudge,
    needs=frozenset({"operation ask-safe"}),
)
SAFE_AS_MEMBERS_SAY = Property(
    name="safe-as-members-say",
    sentence="No client is answered that data is safe before every member that has to be asked has said so.",
    source="sync.19, sync.21",
    severity=Severity.WRONG_ANSWER,
    start=_TruthJudge,
    needs=met(SafetyChecked),
)
SAFETY_ANSWERED_IN_TIME = Property(
    name="safety-answered-in-time",
    sentence="A member that is given a time to become safe says within that time whether it is.",
    source="sync.22",
    severity=Severity.AVAILABILITY,
    start=_PromptJudge,
    needs=frozenset({"operation ask-safe"}),
    limits=(Limit(Cause.HELD_UP, "members.12: a member that stands still answers when it goes on"),),
)
PROPERTIES: tuple[Property, ...] = (SAFE_AT_REST, SAFETY_ANSWERED_IN_TIME)
STEP_PROPERTIES: tuple[Property, ...] = (SAFE_AS_MEMBERS_SAY,)
