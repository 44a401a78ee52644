"""Sentences that a chain answers: sections 1 and 2 of the page, by `gridproof measure`."""

from collections.abc import Iterator, Mapping, Sequence
from math import comb, floor, log10
from typing import Any

from tools.trade_offs.asked import (
    DEFAULT,
    GONE,
    LOST,
    ONE_ASYNC,
    ONE_SYNC,
    RARELY,
    durability,
    gridproof,
    within,
    words_of,
)

Points = Sequence[Mapping[str, Any]]
STRICT = ("--rate", "backup_timeout_passes=never")


def sentences() -> Iterator[str]:
    """Yield each sentence or row of a table, as the page has to have it."""
    yield from over_crash_rate()
    yield from over_timeout()
    yield from what_else_moves_it()
    yield from over_detection()
    yield from two_backups()


def over_crash_rate() -> Iterator[str]:
    """Yield the first table and what follows from it."""
    rates = ("--sweep", "*_crashes=1/1d..1/300d:6")
    sync, other = (durability(*copies, *DEFAULT, *rates)["points"] for copies in (ONE_SYNC, ONE_ASYNC))
    days = ("1 d", "3.13 d", "9.79 d", "30.6 d", "95.9 d", "300 d")
    for day, one, two in zip(days, sync, other, strict=True):
        yield f"| {day} | {_three(within(one))} | {_three(within(two))} | {_three(within(one, GONE))} |"
    more = within(other[-1]) / within(sync[-1])
    yield f"With a crash every 300 days, an async backup loses {more:.2g} times as much."
    both = durability("--set", "sync_backups=0", "--set", "async_backups=2", *DEFAULT, *RARELY)
    single = durability(*ONE_ASYNC, *DEFAULT, *RARELY)
    yield (
        f"With a crash every 30 days the probability is {within(both):.3g} a year with two async backups, "
        f"and {within(single):.3g} with one."
    )


def over_timeout() -> Iterator[str]:
    """Yield the table of time-outs, strict mode, and time-outs of stages."""
    swept = durability(*ONE_SYNC, *RARELY, "--sweep", "backup_timeout_passes=1/100ms..1/1000s:5")["points"]
    for time, one in zip(("0.1 s", "1 s", "10 s", "100 s", "1,000 s"), swept, strict=True):
        yield f"| {time} | {within(one):.3g} |"
    default, strict = (durability(*ONE_SYNC, *RARELY, *rate) for rate in (DEFAULT, STRICT))
    yield f"| 5 s, the default | {within(default):.3g} |"
    yield f"| never: strict mode, such a call fails as indeterminate | {within(strict):.3g} |"
    yield f"is {1 - within(strict) / within(default):.0%} lower than with the default of 5 s".replace("%", " %")
    yield f"the loss of the whole partition: {within(strict):.6g}"
    yield f"the loss of the whole partition: {within(strict, GONE):.6g}"
    few = durability(*ONE_SYNC, *RARELY, "--rate", "backup_timeout_passes=after:5s:4")
    yield f"(`--rate backup_timeout_passes=after:5s:4`), gives {within(few):.3g}"
    many = durability(*ONE_SYNC, *RARELY, "--rate", "backup_timeout_passes=after:5s:20")
    reason = " ".join(str(one["unknown"]) for one in many["measures"])
    is_unknown = "is not reported: the relative error" in reason
    yield "with 20 stages the bound on the error is too large" if is_unknown else f"not so: {reason}"


def what_else_moves_it() -> Iterator[str]:
    """Yield what single rates make of one sync backup."""
    base = within(durability(*ONE_SYNC, *RARELY, *DEFAULT))
    beside = within(durability(*ONE_SYNC, *RARELY, *DEFAULT, "--rate", "member_returns=1/h*absent_members"))
    yield f"side by side (`'member_returns=1/h*absent_members'`) the probability is still {beside:.3g}"
    power = within(durability(*ONE_SYNC, *RARELY, *DEFAULT, "--rate", "primary_crashes+backup_crashes=1/10y"))
    more = f"{power:.3g}, which is {power / base:.0f} times as large"
    yield f"(`primary_crashes+backup_crashes=1/10y`) makes the probability {more}"
    moved = {
        name: within(durability(*ONE_SYNC, *RARELY, *DEFAULT, "--rate", rate)) / base
        for name, rate in {
            "crashes": "primary_crashes=1/60d", "refill": "slot_is_refilled=1/2min", "noticed": "crashed*=1/2min",
            "noticed first": "crashed_primary_is_removed=1/2min",
            "taken back": "copy_is_taken_back=1/h",
            "lost": "backup_message_is_lost=1/5s", "looks": "check_finds_copy_behind=1/30s*primary_is_up",
            "looks sooner": "check_finds_copy_behind=1/7500ms*primary_is_up",
        }.items()
    }  # fmt: skip
    yield f"with half as many crashes of the primary the probability is {moved['crashes']:.2f} times as large"
    yield f"in two minutes instead of one, it is {moved['refill']:.1f} times as large"
    yield (
        f"noticed after two minutes, {moved['noticed first']:.1f} times if this applies to the primary alone, and "
        f"{moved['noticed']:.1f} times if to both members"
    )
    yield f"(`copy_is_taken_back=1/h`), the probability would be {moved['taken back']:.0f} times as large"
    yield f"with twice as many lost messages, {moved['lost']:.1f} times"
    most = max(abs(moved[name] - 1) for name in ("looks", "looks sooner"))
    yield f"the interval of anti-entropy changes the probability by {most:.1%} at most".replace("%", " %")


def over_detection() -> Iterator[str]:
    """Yield the table of how soon a crash is noticed."""
    swept = durability(*ONE_SYNC, *RARELY, *DEFAULT, "--sweep", "crashed*=1/1s..1/10min:5", noticed=False)["points"]
    for time, one in zip(("1 s", "4.95 s", "24.5 s", "2.02 min", "10 min"), swept, strict=True):
        yield f"| {time} | {within(one, GONE):.3g} | {within(one, LOST):.3g} |"


def two_backups() -> Iterator[str]:
    """Yield the loss of three copies, of given partitions, and of all copies of a small world."""
    one = within(durability(*ONE_SYNC, *RARELY, *DEFAULT), GONE)
    two = within(
        gridproof(
            "measure", "durability", "--set", "members=4", "--set", "sync_backups=2", "--set", "async_backups=0",
            "--time", "1y", "--quantity", "within", "--of", GONE, *RARELY, *words_of("NOTICED"),
            "--rate", "backup_is_promoted=1/s", "--rate", "slot_is_refilled=1/min", "--rate", "member_returns=1/h",
            "--rate", "lost_partition_is_assigned=1/s", "--rate", "write_is_executed=1/s",
            "--rate", "backup_message_arrives=now", "--rate", "*=never",
        ),
        GONE,
    )  # fmt: skip
    written = f"{two * 1e7:.2f}e-7"
    yield f"the rate is {written} a year for one partition, which is a {_hundreds(one / two)}th of the rate"
    for members, backups, gone in (5, 1, 2), (10, 1, 2), (20, 1, 2), (10, 2, 3), (20, 2, 3), (20, 2, 4), (20, 3, 4):
        given = comb(members - backups - 1, gone - backups - 1) / comb(members, gone)
        yield f"| {members} | {backups} | {gone} | {given:.3g} |"
    rare = gridproof(
        "measure", "docs/examples/addresses.py", "--set", "members=3",
        "--rate", "crashes=1/1500s", "--rate", "returns=1/10s", "--time", "60s",
    )  # fmt: skip
    yield f"| exact: the chain of three members | – | {within(rare, 'everything_is_lost') * 1e6:.2f}e-6 |"


def _three(value: float) -> str:
    """Return three digits, and never an exponent."""
    return f"{value:.{2 - floor(log10(value))}f}"


def _hundreds(value: float) -> str:
    return f"{round(value, -2):,.0f}"
