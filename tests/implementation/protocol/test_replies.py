"""Answers are for the incarnation that asked.

Source: calls.7, calls.8, backups.16, table.3.
"""

from uuid import UUID

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import SummaryAnswer
from gridproof_implementation.protocol.calls import BackupAck, OperationControl, Response
from gridproof_implementation.protocol.jobs.messages import JobReply
from gridproof_implementation.protocol.membership.messages import Promoted
from gridproof_implementation.protocol.partitioning.messages import PromotionDone, SafeAnswer
from gridproof_implementation.protocol.replies import Reply
from gridproof_model.events.membership import ReplyPassedOver
from gridproof_model.events.words import ServiceState
from gridproof_model.membership import MemberId
from tests.implementation.protocol.callers import acknowledge, answers_in, begin, make_caller, respond
from tests.implementation.protocol.grids import member_at, one_of
from tests.implementation.protocol.replicas import P

OLDER = MemberId(member_at(0).id.address, UUID(int=99))
"""Who was at the oldest member's address before it."""
REPLIES = (
    Response(1, None, 0, asker=OLDER),
    BackupAck(1, asker=OLDER),
    OperationControl((1,), asker=OLDER),
    SummaryAnswer(1, 1, in_sync=False, asker=OLDER),
    SafeAnswer(1, ServiceState.SAFE, asker=OLDER),
    PromotionDone(((0, 1),), asker=OLDER),
    JobReply(1, asker=OLDER),
    Promoted(asker=OLDER),
)


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_an_answer_to_an_older_incarnation_changes_nothing(reply: Reply) -> None:
    one = one_of(2, place=0)

    effects = one.hand_over(1, reply)

    assert effects == [ReplyPassedOver(type(reply).__name__, one.number_of(1), one.numbers[OLDER])]


def test_a_call_goes_on_waiting_for_its_own_acknowledgement() -> None:
    caller = make_caller()
    call_id = begin(caller)
    respond(caller, call_id, backups=1)

    foreign = caller.hand_over(1, BackupAck(call_id, partition=P, asker=OLDER))

    assert (answers_in(foreign), len(answers_in(acknowledge(caller, call_id)))) == ([], 1)
