"""Answers: for the incarnation that asked, and no other one.

Numbers of calls and questions begin anew with every incarnation of a member, and a message goes to an address
(table.3): what answers the dead may reach who comes after, and name a number that it uses, too.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Reply(Message):
    """What answers a question of one member, or says how a call of its fares.

    Choice (calls.8): it names the incarnation that asked, uuid included. By the documents an acknowledgement or a
    response carries the call id alone (calls.7, calls.8, backups.16), and a strict call of the next incarnation is then
    confirmed by a backup that does not have it (docs/findings.md).
    """

    asker: MemberId = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class UrgentReply(Reply):
    """One that travels in the urgent lane."""

    URGENT: ClassVar[bool] = True
