"""A backup may answer reads (backups.22)."""

from gridproof_implementation.protocol.calls import Request
from tests.implementation.protocol.callers import GET, PUT, answer_in, answers_in, call, make_caller
from tests.implementation.protocol.grids import OneOfMany, sent
from tests.implementation.protocol.replicas import backup_of


def caller_with_a_backup() -> OneOfMany:
    """Return a caller that holds slot 1, with a value."""
    caller = make_caller((0, 2))
    caller.hand_over(0, backup_of(caller, [1], value="backed up", caller=1))
    return caller


def test_a_read_that_may_is_answered_by_the_callers_own_backup() -> None:
    caller = caller_with_a_backup()

    effects = call(caller, GET, from_backup=True)

    assert (answer_in(effects).value, sent(effects, Request)) == ("backed up", [])


def test_a_read_that_may_not_goes_to_the_primary() -> None:
    caller = caller_with_a_backup()

    assert len(sent(call(caller, GET), Request)) == 1


def test_without_a_backup_here_the_primary_is_asked() -> None:
    caller = make_caller((0, 1))

    assert len(sent(call(caller, GET, from_backup=True), Request)) == 1


def test_a_write_never_goes_to_a_backup() -> None:
    caller = caller_with_a_backup()

    effects = call(caller, PUT, from_backup=True)

    assert (answers_in(effects), len(sent(effects, Request))) == ([], 1)
