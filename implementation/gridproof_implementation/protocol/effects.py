"""The effects that a member asks its environment to carry out.

A member is a pure state machine: it takes a message, a timer or a call, and returns effects in order. A member has no
clock, socket, thread or random numbers; its driver (the simulator, a test, or a real network) carries the effects
out."""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.events import ProtocolEvent
from gridproof_model.events.words import Failure
from gridproof_model.membership import Address, MemberId
from gridproof_model.value import Value

NO_PARTITION = -1


@dataclass(frozen=True, slots=True)
class Message(Value):
    """A message from one member to another; each part of the protocol declares its own messages."""

    URGENT: ClassVar[bool] = False
    """Whether the message travels in the urgent lane, which may overtake the normal one (calls.2)."""

    partition: int = field(default=NO_PARTITION, kw_only=True)
    """The partition that the message concerns; within one lane, the messages about one partition from one member to
    another arrive in order (calls.3)."""


@dataclass(frozen=True, slots=True)
class Timer(Value):
    """A reason to wake a member later; if an equal timer is set again, the new timer replaces the old timer."""


@dataclass(frozen=True, slots=True)
class AnswerDue(Timer):
    """A timer that is cancelled by an answer: if it fires, the member that was asked has not answered."""


@dataclass(frozen=True, slots=True)
class Send(Value):
    """Deliver a message to the member that listens at an address; the message may get lost.

    The target is an address, not an identity: after a restart another incarnation gets the message, as on a new
    connection (table.3), and has to find out for itself that the message was not meant for it.
    """

    to: Address
    message: Message


@dataclass(frozen=True, slots=True)
class SetTimer(Value):
    """Wake this member with the timer after the delay."""

    timer: Timer
    delay_us: int


@dataclass(frozen=True, slots=True)
class CancelTimer(Value):
    """Forget this timer, if it was set."""

    timer: Timer


@dataclass(frozen=True, slots=True)
class Answer(Value):
    """A call that this member began has ended, once and for good."""

    call: int
    """The number that the caller gave to the call."""
    value: object
    """The result; it has no meaning if the call failed."""
    failure: Failure | None = None
    confirmed_copies: int | None = None
    """How many copies are confirmed by acknowledgements, the primary's included; None if they were not counted."""
    may_have_run: bool = False
    """For a failed call: whether some attempt ended without an answer, so that its operation may have been executed."""


@dataclass(frozen=True, slots=True)
class Stop(Value):
    """This member ends: it left gracefully, or it was asked to start again as another incarnation."""

    rejoin_as: MemberId | None = None
    """The identity under which the member comes back: after a merge (splits.6), or if the cluster removed the member
    before the member knew that it had joined. None if the member does not come back."""
    merge_payload: object = None
    """The entries to merge; the next incarnation is started with them."""
    contacts: tuple[Address, ...] = ()
    """The addresses at which the next incarnation asks to join."""


Effect = Send | SetTimer | CancelTimer | Answer | Stop | ProtocolEvent
