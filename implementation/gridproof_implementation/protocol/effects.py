"""What a member asks of the world around it.

A member is a pure machine: a message, a timer or a call comes in, effects go out in order. It has no clock, socket,
thread or dice; whoever runs it (the simulator, a test, a real network) carries the effects out.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.events import ProtocolEvent
from gridproof_model.events.words import Failure
from gridproof_model.membership import Address, MemberId
from gridproof_model.value import Value

NO_PARTITION = -1


@dataclass(frozen=True, slots=True)
class Message(Value):
    """What one member sends another; each part of the protocol declares its own."""

    URGENT: ClassVar[bool] = False
    """Whether it travels in the urgent lane, which may overtake the normal one (calls.2)."""

    partition: int = field(default=NO_PARTITION, kw_only=True)
    """Messages of one partition between two members keep their order within a lane (calls.3)."""


@dataclass(frozen=True, slots=True)
class Timer(Value):
    """A reason to be woken; setting an equal timer again replaces it."""


@dataclass(frozen=True, slots=True)
class AnswerDue(Timer):
    """A timer that the answer cancels: when it wakes, whoever was asked has not answered."""


@dataclass(frozen=True, slots=True)
class Send(Value):
    """Deliver a message to whoever listens there; it may get lost.

    An address, not an identity: after a restart another incarnation gets it, as on a new connection (table.3), and has
    to see for itself that it is not the one meant.
    """

    to: Address
    message: Message


@dataclass(frozen=True, slots=True)
class SetTimer(Value):
    """Wake me with this timer after so long."""

    timer: Timer
    delay_us: int


@dataclass(frozen=True, slots=True)
class CancelTimer(Value):
    """Forget this timer, if it was set."""

    timer: Timer


@dataclass(frozen=True, slots=True)
class Answer(Value):
    """A call that began at this member has ended, once and for good."""

    call: int
    """The number its caller gave it."""
    value: object
    """The result; without meaning when it failed."""
    failure: Failure | None = None
    confirmed_copies: int | None = None
    """Copies the acknowledgements vouch for, primary included; None where nobody counted."""
    may_have_run: bool = False
    """Of a failed call: whether some attempt ended without word, so that its operation may have been executed."""


@dataclass(frozen=True, slots=True)
class Stop(Value):
    """This member is done: it left gracefully, or was asked to start anew as another incarnation."""

    rejoin_as: MemberId | None = None
    """The identity to come back under, after a merge (splits.6) or when the cluster removed it before
    it knew that it was in; None when it is gone for good."""
    merge_payload: object = None
    """What the next incarnation is started with: the entries to merge."""
    contacts: tuple[Address, ...] = ()
    """Where the next incarnation knocks."""


Effect = Send | SetTimer | CancelTimer | Answer | Stop | ProtocolEvent
