"""`measure --split`, as typed."""

import pytest

from tests.front_door.command_line import CommandLine

CHAIN = (
    "measure", "durability", "--set", "members=2", "--set", "sync_backups=1", "--set", "async_backups=0",
    "--rate", "*_crashes=1/d", "--rate", "slot_is_refilled=1/h", "--rate", "write_is_executed=1/min",
    "--rate", "write_passes*=never", "--rate", "sync*=never", "--rate", "copy*=never", "--rate", "check*=never",
    "--rate", "*=now", "--of", "the_partition_is_lost",
)  # fmt: skip
SPLIT = (*CHAIN, "--time", "2h", "--split", "live_copies", "--trials", "40")


def test_an_estimate_has_its_interval_and_its_levels(gridproof: CommandLine) -> None:
    shown = gridproof(*SPLIT)
    found = gridproof(*SPLIT, "--json").json
    (one,) = found["measures"]

    assert shown.status == 0
    assert "as narrow by plain runs: about" in shown.out
    assert (one["method"], one["levels"], found["split"]) == ("splitting", [1, 0], "live_copies")
    assert one["low"] < one["value"] < one["high"]


def test_another_seed_is_another_estimate(gridproof: CommandLine) -> None:
    one, same, other = (gridproof(*SPLIT, "--json", "--seed", seed).json["measures"][0] for seed in ("0", "0", "1"))

    assert one["value"] == same["value"] != other["value"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*CHAIN, "--split", "live_copies"), "add --time, such as --time 1y"),
        (
            (*CHAIN, "--time", "1h", "--split", "luck"),
            "has no definition 'luck' with a number as value: there are",
        ),
        ((*SPLIT, "--sweep", "time=1h..2h"), "--sweep does not apply to simulation with --split"),
        ((*SPLIT, "--out", "here"), "--out does not apply to simulation with --split"),
        ((*CHAIN, "--time", "1h", "--split", "live_copies", "--trials", "1"), "--trials 1: write a whole number"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    done = gridproof(*words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_what_cannot_be_said_is_unknown(gridproof: CommandLine) -> None:
    never = gridproof(*SPLIT, "--rate", "primary_crashes=never", "--rate", "backup_crashes=never")

    assert never.status == 3
    assert "reached the goal" in never.out
