"""One member that calls; the test plays the others."""

from collections.abc import Sequence

from gridproof_implementation.protocol.calls import BackupAck, ErrorResponse, Request, Response
from gridproof_implementation.protocol.effects import Answer, Effect, SetTimer, Timer
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.words import Failure
from gridproof_model.grid_config import GridConfig
from tests.implementation.protocol.grids import OneOfMany, sent
from tests.implementation.protocol.replicas import MAP, P, config_of, one_in_row

PUT = Put(MAP, "k", "v")
GET = Get(MAP, "k")
STRICT = config_of(operation_fail_on_indeterminate_state="true")
CALL_TIMEOUT_US = 60_000_000
"""Half of the property, as delivered."""
BACKUP_TIMEOUT_US = 5_000_000


def make_caller(row: Sequence[int | None] = (0, 1), config: GridConfig | None = None, place: int = 2) -> OneOfMany:
    """Return the youngest member of three, which by its table holds nothing of partition 0."""
    return one_in_row(place, row, config)


def call(
    one: OneOfMany,
    operation: Operation = PUT,
    number: int = 1,
    *,
    strict: bool | None = None,
    from_backup: bool = False,
) -> list[Effect]:
    """Let a client ask for something."""
    wanted = Call(number, operation, P, fail_on_indeterminate_state=strict, read_from_backup=from_backup)
    return one.member.call(wanted, one.now_us)


def request_in(effects: Sequence[Effect]) -> Request:
    """Return the only attempt that was sent."""
    ((_, request),) = sent(effects, Request)
    return request


def begin(one: OneOfMany, operation: Operation = PUT, *, strict: bool | None = None) -> int:
    """Let a client ask for something; return the call id of the first attempt."""
    return request_in(call(one, operation, strict=strict)).call_id


def respond(one: OneOfMany, call_id: int, value: object = None, *, backups: int = 0, place: int = 0) -> list[Effect]:
    """Let a member say that it executed an attempt."""
    return one.hand_over(place, Response(call_id, value, backups, partition=P, asker=one.me))


def refuse(one: OneOfMany, call_id: int, why: Failure, *, place: int = 0) -> list[Effect]:
    """Let a member say that it did not execute an attempt."""
    return one.hand_over(place, ErrorResponse(call_id, why, partition=P, asker=one.me))


def acknowledge(one: OneOfMany, call_id: int, *, place: int = 1) -> list[Effect]:
    """Let a backup say that it applied an attempt's update."""
    return one.hand_over(place, BackupAck(call_id, partition=P, asker=one.me))


def lose(one: OneOfMany, place: int) -> list[Effect]:
    """Notify the caller that a member left, as its member list would."""
    node = one.member.node
    gone = one.id_of(place)
    node.now_us = one.now_us
    members = node.membership.members.left([gone])
    node.membership.install(members, members.members[0].id)  # type: ignore[attr-defined]
    return one.member._effects()


def scan(one: OneOfMany, after_us: int) -> list[Effect]:
    """Let time pass and the periodic scan look."""
    one.now_us += after_us
    return one.member.wake(Scan(), one.now_us)


def wake(one: OneOfMany, effects: Sequence[Effect], kind: type[Timer]) -> list[Effect]:
    """Let the one timer of a kind that was set go off in time."""
    (timer,) = [effect for effect in effects if isinstance(effect, SetTimer) and isinstance(effect.timer, kind)]
    one.now_us += timer.delay_us
    return one.member.wake(timer.timer, one.now_us)


def answers_in(effects: Sequence[Effect]) -> list[Answer]:
    """Return how calls ended."""
    return [effect for effect in effects if isinstance(effect, Answer)]


def answer_in(effects: Sequence[Effect]) -> Answer:
    """Return how the only call ended."""
    (answer,) = answers_in(effects)
    return answer
