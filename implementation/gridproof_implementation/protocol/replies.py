"""Answers, which are only for the incarnation that asked.

Every incarnation of a member numbers its calls and questions anew, and a message is sent to an address (table.3). So an
answer to a dead incarnation may reach its successor, with a number that the successor uses, too."""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Reply(Message):
    """An answer to a question of one member, or a report on one of its calls.

    Choice (calls.8): a reply names the incarnation that asked, with its uuid. According to the documents an
    acknowledgement or a response carries only the call id (calls.7, calls.8, backups.16), so that a strict call of the
    next incarnation can be confirmed by a backup that does not have its write (docs/findings.md).
    """

    asker: MemberId = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class UrgentReply(Reply):
    """A reply that travels in the urgent lane."""

    URGENT: ClassVar[bool] = True
