"""Processes of a live grid, never left behind."""

import os
import select
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.channel import Channel, ChannelClosedError, NoAnswerError
from gridproof_implementation.live.fleet import Fleet, end_strays, roof
from gridproof_implementation.live.process import MemberError

MEMBER = ["--name", "one", "--partition-count", "7", "--backup-count", "1"]


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    """Both ends of a channel."""
    left, right = socket.socketpair()
    with left, right:
        yield Channel(left), Channel(right)


def runs(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def test_messages_arrive_in_order_however_they_are_cut(ends: tuple[Channel, Channel]) -> None:
    here, there = ends
    here.send({"text": "x" * 100_000})
    here.send({"text": "ü\n"})

    assert [len(there.receive(1)["text"]), there.receive(1)["text"]] == [100_000, "ü\n"]


def test_silence_is_an_error_of_its_own(ends: tuple[Channel, Channel]) -> None:
    with pytest.raises(NoAnswerError, match=r"no answer within 0\.01 s"):
        ends[0].receive(0.01)


def test_a_closed_channel_is_noticed(ends: tuple[Channel, Channel]) -> None:
    ends[1].close()

    with pytest.raises(ChannelClosedError):
        ends[0].receive(1)


@pytest.mark.live
def test_leaving_the_fleet_ends_every_process_even_after_an_exception() -> None:
    started = []

    def fail_inside() -> None:
        with Fleet() as fleet:
            started.append(fleet.start("one", "vecgrid_member", MEMBER)[0])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()

    assert not runs(started[0].pid)
    assert not started[0].log.parent.exists()


@pytest.mark.live
def test_an_error_inside_a_member_comes_back_in_words() -> None:
    with Fleet() as fleet:
        process, _ = fleet.start("one", "vecgrid_member", MEMBER)

        with pytest.raises(MemberError, match="KeyError: 'no such command'"):
            process.ask("no such command")
        assert process.ask("partition", key="k") in range(7)


@pytest.mark.live
def test_a_late_answer_is_not_taken_for_the_next_one() -> None:
    with Fleet() as fleet:
        process, _ = fleet.start("one", "vecgrid_member", MEMBER)
        with pytest.raises(NoAnswerError):
            process.ask("table", timeout_s=0)

        assert process.ask("get", key="k") == {"found": False, "value": None}


@pytest.mark.live
def test_a_member_that_does_not_come_up_is_one_line_with_its_last_words() -> None:
    with Fleet() as fleet, pytest.raises(AdapterError, match=r"^one did not come up .* --partition-count$") as raised:
        fleet.start("one", "vecgrid_member", ["--name", "one", "--backup-count", "1"])
    assert "\n" not in str(raised.value)


@pytest.mark.live
def test_a_killed_process_is_gone_at_once() -> None:
    with Fleet() as fleet:
        process, _ = fleet.start("one", "vecgrid_member", MEMBER)
        process.kill()

        assert not process.is_running
        with pytest.raises(ChannelClosedError):
            process.ask("table")


DRIVER = """
import os, sys
from gridproof_implementation.live.fleet import Fleet
fleet = Fleet().__enter__()
process, _ = fleet.start("one", "vecgrid_member", sys.argv[1:])
print(process.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.live
def test_a_member_does_not_outlive_a_driver_that_was_killed() -> None:
    driver = subprocess.run([sys.executable, "-c", DRIVER, *MEMBER], capture_output=True, text=True, check=False)
    member = int(driver.stdout)

    if runs(member):
        with open(os.pidfd_open(member)) as exit_of_member:
            select.select([exit_of_member], [], [], 10)

    assert not runs(member)
    end_strays()


@pytest.fixture
def dead_driver() -> int:
    """The id of a process that is gone."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def left_over(driver: int, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that ignores its channel, in the books of a fleet of this driver."""
    sleep = "import time; print(flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", sleep, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    folder = roof() / f"{driver}-test"
    folder.mkdir(parents=True)
    (folder / "pids").write_text(f"{process.pid}\n")
    return process


def test_a_stray_of_a_dead_driver_is_ended(dead_driver: int) -> None:
    stray = left_over(dead_driver, "gridproof_implementation.live.some_member")

    with stray:
        assert end_strays() == 1
    assert stray.returncode == -9
    assert list(roof().glob(f"{dead_driver}-*")) == []


def test_a_process_that_only_inherited_the_id_is_left_alone(dead_driver: int) -> None:
    with left_over(dead_driver) as other:
        assert end_strays() == 0
        assert other.poll() is None
        other.kill()


def test_members_of_a_living_driver_are_left_alone() -> None:
    with left_over(os.getpid(), "gridproof_implementation.live.some_member") as member:
        assert end_strays() == 0
        assert member.poll() is None
        member.kill()
    shutil.rmtree(roof() / f"{os.getpid()}-test")
