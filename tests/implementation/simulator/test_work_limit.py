"""A run ends, whatever members do."""

from dataclasses import dataclass
from itertools import count

import pytest

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.membership.messages import Heartbeat
from gridproof_implementation.protocol.membership.part import MembershipPart
from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.simulator import work_limit
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.work_limit import DoesNotRest, DoesNotReturn, patience, watching
from gridproof_model.membership import MemberId
from gridproof_model.trace import Record
from tests.implementation.simulator.worlds import short_scenario, started_world


@dataclass(frozen=True, slots=True)
class Echo(Message):
    """What a member sends itself."""


@pytest.fixture
def a_member_that_never_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is executed for ever."""

    def execute(part: OperationPart, sender: MemberId, request: object) -> None:
        for _ in count():
            try:
                sum(range(100))
            except Exception:
                continue

    monkeypatch.setattr(OperationPart, "on_request", execute)


@pytest.fixture
def members_that_never_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hears a heartbeat sends itself word of it, for ever."""

    def echo(part: MembershipPart, sender: MemberId, message: Message) -> None:
        part.node.send(part.node.me, message)

    handlers = MembershipPart.message_handlers
    monkeypatch.setattr(
        MembershipPart,
        "message_handlers",
        lambda part: {**handlers(part), Heartbeat: lambda sender, message: echo(part, sender, message)},
    )


@pytest.mark.usefixtures("a_member_that_never_returns")
def test_a_member_that_never_returns_is_named_with_its_input_and_place() -> None:
    with patience(0.2), pytest.raises(DoesNotReturn, match=r"member \d does not return from Request: .*execute"):
        simulate(short_scenario(), lambda record: None)


@pytest.mark.usefixtures("members_that_never_rest")
def test_members_that_never_rest_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_limit, "INPUTS", 1_000)
    monkeypatch.setattr(work_limit, "INPUTS_A_PAIR", 0)

    with pytest.raises(DoesNotRest, match=r"the members handled [\d,]+ inputs and did not come to rest"):
        simulate(short_scenario(), lambda record: None)


@pytest.mark.usefixtures("members_that_never_rest")
def test_members_that_never_rest_are_given_up_after_equally_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_limit, "INPUTS", 1_000)

    def records() -> list[Record]:
        found: list[Record] = []
        with pytest.raises(DoesNotRest):
            simulate(short_scenario(), found.append)
        return found

    assert records() == records()


def test_work_outside_of_members_is_nobodys_fault() -> None:
    world = started_world(1)

    with patience(0.05), watching(world.at_work):
        spent = sum(number % 7 for number in range(3_000_000))

    assert spent > 0
    assert world.handling is None


def test_a_run_has_room_for_many_times_what_it_needs() -> None:
    end = simulate(short_scenario(client_operations=40), lambda record: None)

    assert 100 * end.events < work_limit.inputs_allowed(3, 40)
