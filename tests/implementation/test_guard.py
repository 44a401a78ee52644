"""Calls into code that nobody here wrote."""

import os
import threading
from io import StringIO
from pathlib import Path

import pytest

from gridproof_implementation.adapter import AdapterError, AdapterFailure
from gridproof_implementation.guard import Guard
from gridproof_model.user_error import message_of


def test_what_a_call_returns_is_returned() -> None:
    guard = Guard("grid")

    assert guard.run(lambda: guard.call("size()", lambda: 7)) == 7


def test_all_calls_are_made_in_one_thread() -> None:
    guard = Guard("grid")

    threads = guard.run(lambda: {guard.call("read()", threading.get_ident) for _ in range(3)})

    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_an_adapters_own_error_keeps_its_words() -> None:
    guard = Guard("grid")

    def fail() -> None:
        raise AdapterError("start a member\nfirst")

    with pytest.raises(AdapterError, match=r"^start a member first$"):
        guard.run(lambda: guard.call("write()", fail))


def test_any_other_error_names_system_call_kind_and_place() -> None:
    guard = Guard("grid")

    with pytest.raises(AdapterFailure, match=r"^grid: write\(\) raised ZeroDivisionError: .* \(test_guard.py:\d+\); "):
        guard.run(lambda: guard.call("write()", lambda: 1 // 0))


def test_a_call_that_does_not_return_is_given_up_and_the_system_left() -> None:
    guard, left, hung = Guard("grid", deadline_s=0.2), threading.Event(), threading.Event()
    guard.leave_by(left.set)

    with pytest.raises(AdapterFailure, match=r"read\(\) did not return within 0\.2 s"):
        guard.run(lambda: guard.call("read()", hung.wait))

    assert left.is_set()


def test_who_was_given_up_makes_no_further_call() -> None:
    guard, hung, made = Guard("grid", deadline_s=0.2), threading.Event(), threading.Event()

    def work() -> None:
        guard.call("read()", hung.wait)
        guard.call("write()", made.set)

    with pytest.raises(AdapterFailure):
        guard.run(work)
    hung.set()

    assert not made.wait(0.3)


def test_a_wait_that_was_asked_for_does_not_count() -> None:
    guard = Guard("grid", deadline_s=0.2)

    guard.run(lambda: guard.call("wait()", lambda: threading.Event().wait(0.5), further_s=60))


def test_what_goes_wrong_outside_of_calls_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        Guard("grid").run(lambda: 1 // 0)


def test_what_is_printed_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    guard = Guard("grid")

    guard.run(lambda: guard.call("write()", lambda: print("hello")))

    assert capsys.readouterr() == ("", "hello\n")


def test_who_goes_to_another_folder_goes_alone(tmp_path: Path) -> None:
    before = Path.cwd()

    Guard("own").run(lambda: os.chdir(tmp_path))

    assert Path.cwd() == before


def test_a_closed_standard_output_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = StringIO()
    closed.close()
    monkeypatch.setattr("sys.stdout", closed)
    guard = Guard("grid")

    assert guard.run(lambda: guard.call("size()", lambda: 1)) == 1


def test_a_message_is_one_line_of_readable_length() -> None:
    assert message_of(ValueError("a\n  b\tc")) == "a b c"
    assert len(message_of(ValueError("x" * 1_000))) < 400
    assert message_of(ValueError("\ud800")) == "\\ud800"
