"""The state that the parts of one member share, and the way in which the parts reach each other.

A member is made of parts (membership, partitions, replication, …), each in a package of its own. Parts do not import
each other: the methods that one part calls on another are declared in `parts.py`, as a protocol. Each rule is a method
of a part's class, and is called through the class, so that a single rule can be replaced from outside without a switch
in this code."""

from gridproof_implementation.protocol.effects import CancelTimer, Effect, Message, Send, SetTimer, Timer
from gridproof_implementation.protocol.parts import (
    OWN_CALL,
    AntiEntropy,
    Call,
    CallMany,
    Invocations,
    Jobs,
    Membership,
    MessageHandlers,
    Operations,
    Part,
    Partitions,
    Replicas,
    Taken,
    TimerHandlers,
)
from gridproof_implementation.protocol.replies import Reply
from gridproof_implementation.protocol.settings import Settings
from gridproof_model.events import ProtocolEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, Member, MemberId, MemberNumbers

__all__ = [
    "OWN_CALL",
    "AntiEntropy",
    "Call",
    "CallMany",
    "Invocations",
    "Jobs",
    "Membership",
    "MessageHandlers",
    "Node",
    "Operations",
    "Part",
    "Partitions",
    "Replicas",
    "Taken",
    "TimerHandlers",
]


class Node:
    """The state that the parts of one member share; through it each part reaches the others."""

    __slots__ = (
        "anti_entropy",
        "config",
        "description",
        "effects",
        "invocations",
        "jobs",
        "me",
        "membership",
        "merge_payload",
        "now_us",
        "numbers",
        "operations",
        "partitions",
        "replicas",
        "settings",
    )

    membership: Membership
    partitions: Partitions
    replicas: Replicas
    anti_entropy: AntiEntropy
    operations: Operations
    invocations: Invocations
    jobs: Jobs

    def __init__(self, description: Member, config: GridConfig, numbers: MemberNumbers) -> None:
        self.description = description
        self.me = description.id
        self.config = config
        self.settings = Settings.of(config)
        self.numbers = numbers
        """The numbers by which this member's events name members."""
        self.now_us: int
        """The time of this member's own clock at the input that is being handled."""
        self.effects: list[Effect] = []
        self.merge_payload: object = None
        """The payload that the earlier incarnation handed over; only the part for merging reads it."""

    def send(self, to: MemberId, message: Message) -> None:
        """Ask for the delivery of a message to a member, which may be this one."""
        self.effects.append(Send(to.address, message))

    def reply(self, reply: Reply) -> None:
        """Ask for the delivery of an answer to the member that asked."""
        self.effects.append(Send(reply.asker.address, reply))

    def knock(self, at: Address, message: Message) -> None:
        """Ask for the delivery of a message to the member that listens at an address, whichever member that is."""
        self.effects.append(Send(at, message))

    def set_timer(self, timer: Timer, delay_us: int) -> None:
        """Ask to be woken by a timer after a delay."""
        self.effects.append(SetTimer(timer, delay_us))

    def cancel_timer(self, timer: Timer) -> None:
        """Cancel a timer, so that it does not wake this member."""
        self.effects.append(CancelTimer(timer))

    def emit(self, event: ProtocolEvent) -> None:
        """Add an event, which records what this member did, to the effects."""
        self.effects.append(event)
