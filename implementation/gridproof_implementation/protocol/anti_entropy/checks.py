"""Comparisons of a primary with its backups, for a caller that asks whether a partition is safe.

Source: sync.20, sync.21.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from gridproof_implementation.protocol.anti_entropy.messages import SummaryAnswer
from gridproof_implementation.protocol.anti_entropy.rounds import Rounds
from gridproof_implementation.protocol.effects import AnswerDue
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.membership import MemberId

CHECK_TIMEOUT_US = 10 * SECOND_US


@dataclass(frozen=True, slots=True)
class CheckTimesOut(AnswerDue):
    """Some backup has not answered a safety check in time."""

    number: int


@dataclass(slots=True)
class Check:
    """A safety check of one partition, which waits for the answers of the partition's backups; mutable."""

    then: Callable[[bool], None]
    waits_for: dict[int, MemberId] = field(default_factory=dict)
    """The backups that have not answered yet, by replica index."""


class SafeChecks:
    """Safety checks: each sends summaries to the backups of a partition, waits for answers, and ends exactly once."""

    def __init__(self, node: Node, rounds: Rounds) -> None:
        self._node = node
        self._rounds = rounds
        self._waiting: dict[int, Check] = {}
        self._numbers = count(1)

    @property
    def waiting_count(self) -> int:
        """The number of checks that wait for answers."""
        return len(self._waiting)

    def check(self, partition: int, then: Callable[[bool], None]) -> None:
        """Compare all slots that can hold a backup, even if fewer are configured (sync.20); if a slot is empty, the
        partition is "not safe".

        The partition is "not safe", too, if the member in a slot is not in the member list, so that nobody owns this
        slot (sync.20).
        """
        node = self._node
        slots = node.partitions.rows[partition].slots
        backups = slots[1 : node.partitions.max_backup_count + 1]
        is_member = node.membership.is_member
        present = {
            index: replica
            for index, replica in enumerate(backups, start=1)
            if replica is not None and is_member(replica)
        }
        if slots[0] != node.me or node.partitions.is_migrating(partition) or len(present) < len(backups):
            then(False)
            return
        if not present:
            then(True)
            return
        number = next(self._numbers)
        self._waiting[number] = Check(then, present)
        node.set_timer(CheckTimesOut(number), CHECK_TIMEOUT_US)
        for index, replica in present.items():
            self._rounds.send_summary(partition, index, replica, number)

    def on_summary_answer(self, sender: MemberId, answer: SummaryAnswer) -> None:
        """Count an answer; the check ends at the first "no", or when all backups have answered "yes"."""
        check = self._waiting.get(answer.check)
        if check is None or check.waits_for.get(answer.index) != sender:
            return
        del check.waits_for[answer.index]
        if not answer.in_sync or not check.waits_for:
            self._end(answer.check, answer.in_sync)

    def on_times_out(self, timer: CheckTimesOut) -> None:
        """End the check with "not safe": a missing answer counts as a no."""
        if timer.number in self._waiting:
            self._end(timer.number, safe=False)

    def _end(self, number: int, safe: bool) -> None:
        check = self._waiting.pop(number)
        self._node.cancel_timer(CheckTimesOut(number))
        check.then(safe)
