"""Answers are for the incarnation that asked, and for no other.

Numbers of calls and questions begin anew with every incarnation of a member, and a message goes to an address
(table.3): an answer to a dead incarnation may reach its successor, and carry a number that the successor uses, too.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Reply(Message):
    """An answer to a question of one member, or a report on one of its calls.

    Choice (calls.8): a reply names the incarnation that asked, with its uuid. By the documents an acknowledgement or a
    response carries the call id alone (calls.7, calls.8, backups.16), and a strict call of the next incarnation is then
    confirmed by a backup that does not have its write (docs/findings.md).
    """

    asker: MemberId = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class UrgentReply(Reply):
    """A reply that travels in the urgent lane."""

    URGENT: ClassVar[bool] = True
