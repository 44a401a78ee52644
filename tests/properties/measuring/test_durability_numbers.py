"""Numbers of durability: closed forms, and simulation."""

from fractions import Fraction
from functools import cache
from math import isclose
from random import Random

import pytest

from gridproof_model.language import State
from gridproof_model.language.rates import Rate, Timed, read_rates
from gridproof_model.language.run import Runner
from gridproof_model.specifications.durability import specification
from gridproof_properties.measuring import Estimate, Measurer, Quantity, Question, predicates_of
from gridproof_properties.measuring.predicates import counted

ACTIONS = [action.name for action in specification.actions]
AT_ONCE = [
    "crashed*=now", "backup_is_promoted=now", "lost_partition_is_assigned=now", "member_returns=now", "copy_is_*=never",
    "caller_is_answered=now", "sync_brings_the_write=now", "*=never",
]  # fmt: skip
"""What takes no time in the models of textbooks: a failure is noticed, and its place taken, at once."""
CRASH, REFILL, WRITE, CHECK, LOSS = Fraction(1, 720), Fraction(60), Fraction(3600), Fraction(240), Fraction(1, 1000)
"""Per hour: a crash in 30 days, a copy in a minute, a write a second, a check in 15 s; one message in 1,000 is lost."""


def mean_time_h(backups: int, of: str, *rates: str) -> Estimate:
    world = specification.world(members=backups + 1, sync_backups=backups, async_backups=0)
    known = read_rates(ACTIONS, ["*_crashes=1/30d", "slot_is_refilled=1/min", *rates, *AT_ONCE])
    question = Question(world, known, predicates_of(specification, world, [of]))
    found = Measurer().measure(question).value(of, Quantity.TIME)
    return Estimate(found.value / 3600, found.relative_error, found.method)


@pytest.mark.parametrize("backups", [1, 2, 3])
def test_the_mean_time_to_data_loss_is_that_of_a_birth_death_chain(backups: int) -> None:
    down_one = Fraction(0)
    known = Fraction(0)
    for live in range(backups + 1, 0, -1):
        # The expected time until one copy fewer is live; every empty slot is refilled by itself.
        down_one = (1 + REFILL * (backups + 1 - live) * down_one) / (CRASH * live)
        known += down_one

    found = mean_time_h(backups, "no_copy_is_left")

    assert isclose(found.value, known, rel_tol=1e-13)


def test_latent_divergence_shortens_the_mean_time_to_loss_as_its_equations_say() -> None:
    messages = [f"backup_message_arrives=now:{float(1 - LOSS)}", f"backup_message_is_lost=now:{float(LOSS)}"]
    latent = mean_time_h(
        1, "the_last_write_is_lost", "write_is_executed=1/s", "check_finds_copy_behind=1/15s", *messages
    )
    sent, lost, both = WRITE * (1 - LOSS), WRITE * LOSS, 2 * CRASH
    # Two copies, alike (0), one behind (1), one copy (2); before the first write: two copies (3), one copy (4).
    goes: list[dict[int, Fraction]] = [
        {1: lost, 2: both},
        {0: sent + CHECK, 2: CRASH, -1: CRASH},
        {0: REFILL, -1: CRASH},
        {0: sent, 1: lost, 4: both},
        {2: WRITE, 3: REFILL},
    ]

    known = float(time_before(goes)[3])

    assert isclose(latent.value, known, rel_tol=1e-12)
    assert latent.value < 0.9 * float((3 * CRASH + REFILL) / (2 * CRASH**2))


def time_before(goes: list[dict[int, Fraction]]) -> list[Fraction]:
    """Return the expected time from each state to -1, by elimination in fractions."""
    size = len(goes)
    rows = [[Fraction(0)] * (size + 1) for _ in goes]
    for state, ways in enumerate(goes):
        rows[state][state] += sum(ways.values())
        rows[state][size] = Fraction(1)
        for after, rate in ways.items():
            if after >= 0:
                rows[state][after] -= rate
    for pivot in range(size):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for other in range(size):
            if other != pivot:
                rows[other] = [a - rows[other][pivot] * b for a, b in zip(rows[other], rows[pivot], strict=True)]
    return [row[size] for row in rows]


SIMULATED = ["*_crashes=1/10h", "slot_is_refilled=1/h", "write_is_executed=2/h", "copy_is_shifted*=never", "*=1/20min"]
RUNS, HOURS, DEVIATIONS = 400, 20.0, 2.576
"""So many runs; 99 of 100 intervals of so many standard deviations hold the number."""


def share_of_runs(runner: Runner, rates: dict[str, Rate], names: list[str], dice: Random) -> dict[str, float]:
    """Return the share of simulated runs in which each claim is met within the time."""
    claims = {claim.name: claim for claim in runner.world.claims if claim.name in names}

    @cache
    def look(state: State) -> tuple[set[str], list[State], list[float]]:
        events = list(runner.events(state))
        speeds = [rate.per_second if isinstance(rate := rates[e.action], Timed) else 0.0 for e in events]
        holding = {name for name, claim in claims.items() if runner.holds(claim, state)}
        return holding, [runner.step(state, event) for event in events], speeds

    met = dict.fromkeys(names, 0)
    for _ in range(RUNS):
        waiting = set(names)
        state, now = runner.start, 0.0
        while waiting:
            holding, following, speeds = look(state)
            for name in holding & waiting:
                met[name] += 1
            waiting -= holding
            now += dice.expovariate(sum(speeds)) / 3600
            if now > HOURS:
                break
            state = dice.choices(following, speeds)[0]
    return {name: count / RUNS for name, count in met.items()}


@pytest.mark.parametrize("seed", range(2))
def test_simulated_shares_lie_in_the_interval_of_the_exact_probability(seed: int) -> None:
    world = specification.world(members=3, async_backups=0)
    rates = read_rates(ACTIONS, SIMULATED)
    names = ["an_acknowledged_write_is_lost", "the_last_write_is_lost", "the_partition_is_lost"]
    question = Question(world, rates, predicates_of(specification, world, names), (), HOURS * 3600)
    found = Measurer().measure(question)

    shares = share_of_runs(Runner(world), rates, names, Random(seed))

    exact = {name: found.value(name, Quantity.WITHIN).value for name in names}
    assert all(0.05 < value < 0.95 for value in exact.values())
    for name, value in exact.items():
        assert abs(shares[name] - value) <= DEVIATIONS * (value * (1 - value) / RUNS) ** 0.5


PAGE = [
    "crashed*=1/min", "backup_is_promoted=1/s", "slot_is_refilled=1/min", "member_returns=1/h",
    "lost_partition_is_assigned=1/s", "write_is_executed=1/s", "backup_message_arrives=1/1ms",
    "backup_message_is_lost=1/10s", "caller_is_answered=now", "check_finds_copy_behind=1/15s*primary_is_up",
    "sync_brings_the_write=now", "*=never",
]  # fmt: skip
"""The rates that the exact sections of docs/trade-offs.md share."""
DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("sync", "others", "timeout", "crashes"),
    [
        pytest.param(*(1, 0, "1/5s", "1/1d"), marks=pytest.mark.nightly),  # six times the next one
        (1, 0, "never", "1/1d"),
        (0, 1, "1/5s", "1/1d"),
        (0, 1, "never", "1/1d"),
        *(
            pytest.param(*backups, timeout, "1/300d", marks=pytest.mark.nightly)
            for backups in ((1, 0), (0, 1))
            for timeout in ("1/5s", "never")
        ),
    ],
)
def test_a_lost_partition_takes_what_was_acknowledged_with_it(
    sync: int, others: int, timeout: str, crashes: str
) -> None:
    world = specification.world(members=4, sync_backups=sync, async_backups=others)
    rates = read_rates(ACTIONS, [*PAGE, f"*_crashes={crashes}", f"backup_timeout_passes={timeout}"])
    names = ["an_acknowledged_write_is_lost", "all_that_was_acknowledged_is_lost"]
    asked = Question(
        world, rates, predicates_of(specification, world, names), (), 365.25 * DAY_S,
        each={"primary_is_up": counted(specification, world, "primary_is_up")},
        quantities=frozenset((Quantity.WITHIN,)),
    )  # fmt: skip

    found = Measurer().measure(asked)

    lost, whole = (found.value(name, Quantity.WITHIN).value for name in names)
    assert lost > whole > 0


@pytest.mark.parametrize("backups", [1, 2])
def test_what_is_lost_stays_lost(backups: int) -> None:
    runner = Runner(specification.world(members=3, sync_backups=1, async_backups=backups - 1))
    (lost,) = (claim for claim in runner.world.claims if claim.name == "an_acknowledged_write_is_lost")
    seen, waiting, came_back = {runner.start}, [runner.start], []
    while waiting:
        state = waiting.pop()
        is_lost = runner.holds(lost, state)
        for event in runner.events(state):
            after = runner.step(state, event)
            if is_lost and not runner.holds(lost, after):
                came_back.append((state, event))
            if after not in seen:
                seen.add(after)
                waiting.append(after)

    assert came_back == []
    assert any(runner.holds(lost, state) for state in seen)
