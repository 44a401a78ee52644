"""Cells of campaigns as chains."""

from math import exp, sqrt

import pytest

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import PLAIN, set_parameters
from gridproof_properties.measuring import Measurer
from gridproof_properties.measuring.like import LikeError, Likeness, exact, likeness

CELL = {"members": "4", "partitions": "1", "arrival": "5/s", "time": "30s", "crash": "1/30s"}


def of(**changes: str) -> Likeness:
    cell = CELL | {name.replace("_", "-"): text for name, text in changes.items()}
    return likeness(set_parameters(DrawOptions(), [*PLAIN, *cell.items()]))


def rates(like: Likeness) -> dict[str, str]:
    return {one.name: one.text for one in like.rates}


@pytest.mark.parametrize(
    ("change", "action", "rate"),
    [
        ({"crash": "1/2min"}, "backup_crashes", "1/120s"),
        ({"crash": "1/2min"}, "spare_crashes", "1/120s*members_without_a_copy"),
        ({"repair": "constant(4s)"}, "member_returns", "1/4s*absent_members"),
        ({"latency": "constant(2ms)"}, "backup_message_arrives", "1/2ms"),
        ({"latency": "constant(2ms)", "lag": "exponential(20ms)"}, "backup_message_arrives", "1/22ms"),
        ({"loss": "20%", "latency": "constant(2ms)"}, "backup_message_is_lost", "0.25/2ms"),
        ({"backup_timeout": "1s"}, "backup_timeout_passes", "after:1s"),
        ({"backup_timeout": "1s", "sync_backups": "2"}, "backup_timeout_passes", "1/1s"),
        ({"anti_entropy": "4s"}, "check_finds_copy_behind", "1/2s*primary_is_up"),
        ({"hazelcast.connection.monitor.interval": "200"}, "crashed_backup_is_removed", "1/601.8ms"),
        (
            {"hazelcast.partition.rebalance.after.member.left.delay.seconds": "2"},
            "crashed_primary_is_removed", "1/2.3018s",
        ),
    ],
)  # fmt: skip
def test_a_rate_is_taken_from_what_the_cell_sets(change: dict[str, str], action: str, rate: str) -> None:
    assert rates(of(**change))[action] == rate
    assert rates(of()).get(action) != rate


def test_a_copy_behind_a_hole_moves_up() -> None:
    assert rates(of(sync_backups="2"))["copy_is_shifted_up"] == "1/1.8ms"
    assert "copy_is_shifted_up" not in rates(of())


def test_writes_are_spread_over_partitions() -> None:
    alone, spread = (float(rates(of(partitions=count))["write_is_executed"].removesuffix("/s")) for count in "17")

    assert 1 < alone < 5
    assert spread == pytest.approx(alone / 7, rel=1e-4)


def test_strict_calls_never_succeed_by_a_time_out() -> None:
    assert "backup_timeout_passes" not in rates(of(strict="on"))


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"partitions": "7"}, "7 partitions"),
        ({"repair": "constant(4s)"}, "repair is not exponential"),
        ({"groups": "2"}, "2 partition groups"),
        ({"loss": "1%"}, "heartbeats"),
        ({"faults": "split"}, "split"),
        ({"sync_backups": "4"}, "fewer members"),
        ({"periods": "quick"}, "periods=quick"),
        ({"hazelcast.max.no.heartbeat.seconds": "9"}, "hazelcast.max.no.heartbeat.seconds"),
    ],
)
def test_what_the_chain_cannot_say_is_named(change: dict[str, str], clause: str) -> None:
    assert any(clause in one for one in of(**change).unsaid)
    assert not any(clause in one for one in of().unsaid)


def test_a_backup_is_of_no_use_that_no_member_can_hold() -> None:
    assert [one.text for one in of(members="2", sync_backups="3", async_backups="1").constants] == ["2", "1", "0"]


@pytest.mark.parametrize(
    ("cell", "said"), [({"grid": "drawn"}, "each seed draws another grid"), ({"crash": "none"}, "no member")]
)
def test_a_cell_that_is_no_chain_is_refused(cell: dict[str, str], said: str) -> None:
    with pytest.raises(LikeError, match=said):
        of(**cell)


def test_two_members_that_notice_at_once_are_lost_as_often_as_both_are_down() -> None:
    # Both up, one, none: the chain of docs/examples/addresses.py, in closed form by its two eigenvalues.
    crash, back, time_s = 1 / 30, 1 / 10, 30.0
    total = 3 * crash + back
    root = sqrt(total**2 - 8 * crash**2)
    slow, fast = (total - root) / 2, (total + root) / 2
    known = 1 - (fast * exp(-slow * time_s) - slow * exp(-fast * time_s)) / root

    quick = {"hazelcast.connection.monitor.interval": "1", "hazelcast.connection.monitor.max.faults": "1"}
    found = exact(of(members="2", strict="on", arrival="100/s", latency="constant(1ms)", **quick), Measurer()).estimate

    assert found is not None
    assert found.value == pytest.approx(known, rel=0.01)


def test_who_notices_later_loses_more() -> None:
    found = [
        exact(of(strict="on", **{"hazelcast.connection.monitor.interval": interval}), Measurer()).estimate
        for interval in ("100", "200")
    ]

    soon, late = (one.value for one in found if one is not None)
    assert soon == pytest.approx(0.0401, rel=0.01)
    assert 1.3 * soon < late < 1.4 * soon
