"""Demers and others 1987: epidemics that spread updates.

Tables 1 to 3 are simulations in the paper, which are repeated as it describes them; its closed forms are solved. The
first site counts as informed in cycle 0.
"""

from collections.abc import Iterator, Sequence
from math import e, exp, log, log2

from gridproof_properties.intervals import Interval, exactly, mean_of
from gridproof_properties.recomputing.epidemics import Rumour, cycles_to_all, one_cycle, spread_rumour
from gridproof_properties.recomputing.paper import Cell, Effort, Origin, Paper, Published, Tolerance, formula

SITES = 1000
SHARE = Tolerance(
    "rounding, and 5 % of the sites that miss the rumour, or of the sites that hear it if these are fewer: the paper "
    "does not say how many runs were made",
    relative=0.05,
    trivial=1.0,
)
TRAFFIC = Tolerance("rounding, and 2 %: traffic varies little between runs", relative=0.02)
DELAY = Tolerance("rounding, and 2 %: delays of spreading rumours vary little between runs", relative=0.02)
FEW = Tolerance(
    "half of the value: in a thousand runs such a share is four sites, and a count of four has a deviation of two",
    relative=0.5,
)
EXACT = Tolerance("rounding")
CHANGE = Tolerance(
    "1 %: the formula is an expectation that replaces a mean of powers by a power of the mean", relative=0.01
)
ASYMPTOTIC = Tolerance("3 %: the formula leaves out terms that vanish as the number of sites grows", relative=0.03)

TABLES = {
    1: {
        1: (2_000, "0.18", "1.7", "11.0", "16.8"),
        2: (2_000, "0.037", "3.3", "12.1", "16.9"),
        3: (3_000, "0.011", "4.5", "12.5", "17.4"),
        4: (4_000, "0.0036", "5.6", "12.7", "17.5"),
        5: (5_000, "0.0012", "6.7", "12.8", "17.7"),
    },
    2: {
        1: (12_000, "0.96", "0.04", "19", "38"),
        2: (2_000, "0.20", "1.6", "17", "33"),
        3: (2_000, "0.060", "2.8", "15", "32"),
        4: (3_000, "0.021", "3.9", "14.1", "32"),
        5: (5_000, "0.008", "4.9", "13.8", "32"),
    },
    3: {
        1: (8_000, "3.1e-2", "2.7", "9.97", "17.6"),
        2: (10_000, "5.8e-4", "4.5", "10.07", "15.4"),
        3: (20_000, "4.0e-6", "6.1", "10.08", "14.0"),
    },
}
"""For each table and k: the number of runs made here, and the printed residue, traffic, average and last delay."""
WAYS: dict[int, dict[str, bool]] = {1: {}, 2: {"feedback": False, "counter": False}, 3: {"pull": True}}
"""For each table: how its rumours are spread, if it differs from push with feedback and a counter."""
AVERAGE_NOTE = (
    "ours is the time from injection until a site hears the rumour, averaged over the sites that hear it: it agrees "
    "with table 3 as recalled, but not with tables 1 and 2, whose other columns agree; it is not known over which "
    "sites these two tables average"
)
ONE_DIGIT = "the paper prints one digit, 0.008, and our value in one digit is 0.007; in the rows above the two agree"
SCATTER_NOTE = (
    "sites are informed one after the other, so that the delay of a run has a standard deviation of half its mean"
)


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the cells of tables 1 to 3, then of the closed forms and of anti-entropy."""
    for table, rows in TABLES.items():
        for k, (full, *printed) in rows.items():
            yield from _row(effort, table, Rumour(SITES, k, **WAYS[table]), full, printed)
    yield from _who_misses()
    yield from _anti_entropy(effort)


def _row(effort: Effort, table: int, rule: Rumour, full: int, printed: Sequence[str]) -> Iterator[Cell]:
    runs = effort.runs(full)
    spread = spread_rumour(rule, runs, effort.dice(f"table {table}, k = {rule.k}"))
    inputs = f"{SITES:,} sites, {_describe(rule)}, {runs:,} runs"
    origin = Origin.RECALLED if table == 3 else Origin.PRINTED
    measures = (
        ("residue s", spread.residue, SHARE, ""),
        ("traffic m", spread.traffic, TRAFFIC, "messages a site"),
        ("t_ave", spread.average_delay, DELAY, "cycles"),
        ("t_last", spread.last_delay, DELAY, "cycles"),
    )
    for (measure, values, usual, unit), text in zip(measures, printed, strict=True):
        tolerance = FEW if text == "4.0e-6" else usual
        note = AVERAGE_NOTE if measure == "t_ave" and table != 3 else ""
        note = SCATTER_NOTE if measure in ("t_ave", "t_last") and table == 2 and rule.k == 1 else note
        note = ONE_DIGIT if text == "0.008" else note
        place, published = f"table {table}, k = {rule.k}, {measure}", Published(text, origin)
        yield Cell(place, inputs, published, tolerance, mean_of(values), note, unit)


def _describe(rule: Rumour) -> str:
    way, who = "pull" if rule.pull else "push", "feedback" if rule.feedback else "blind"
    return f"{way}, {who}, {f'counter {rule.k}' if rule.counter else f'coin 1/{rule.k}'}"


def _who_misses() -> Iterator[Cell]:
    """Solve s = exp(-(k + 1)(1 - s)), the paper's equation for the residue with feedback and a coin."""
    for k, text in ((1, "20"), (2, "6")):
        share = 0.0
        for _ in range(200):
            share = exp(-(k + 1) * (1 - share))
        place, inputs = f"1.4, k = {k}: who misses the rumour", f"s = exp(-{k + 1} (1 - s)), the root below 1"
        yield Cell(place, inputs, Published(text, Origin.RECALLED), EXACT, exactly(100 * share), unit="%")


def _anti_entropy(effort: Effort) -> Iterator[Cell]:
    runs = effort.runs(4_000)
    for susceptible in (500, 100):
        before = susceptible / SITES
        pushed = before * (1 - 1 / SITES) ** (SITES * (1 - before))
        for way, value, how in (("pull", before**2, "p²"), ("push", pushed, "p (1 - 1/n)^(n (1 - p))")):
            rng = effort.dice(f"cycle {way} {susceptible}")
            left = one_cycle(SITES, susceptible, pull=way == "pull", runs=runs, rng=rng)
            place = f"1.3, {way}: susceptible after one cycle, {before:.0%} before"
            yield Cell(place, f"{SITES:,} sites, {runs:,} runs; {how}", formula(value, ".6f"), CHANGE, mean_of(left))
    yield _cycles_more(effort)


def _cycles_more(effort: Effort) -> Cell:
    """Compare how long push takes with few and with many sites, so that the constant, which the paper omits, cancels
    out."""
    small, large, runs = 128, 2048, effort.runs(4_000)
    few = mean_of(cycles_to_all(small, runs, effort.dice("push to all, few")))
    many = mean_of(cycles_to_all(large, runs, effort.dice("push to all, many")))
    half = ((few.high - few.value) ** 2 + (many.high - many.value) ** 2) ** 0.5
    more = many.value - few.value
    place = f"1.3, push to all sites: cycles more for {large:,} than for {small:,}"
    growth = formula(log2(large / small) + log(large / small) / log(e), ".4f")
    ours = Interval(more, more - half, more + half, f"{runs:,} runs")
    return Cell(place, f"log2 n + ln n + O(1) at both, {runs:,} runs each", growth, ASYMPTOTIC, ours, unit="cycles")


PAPER = Paper(
    "demers-1987",
    "A. Demers and others, Epidemic Algorithms for Replicated Database Maintenance, PODC 1987 (Xerox CSL-89-1)",
    "rumour mongering by push and pull (tables 1 to 3), and how fast anti-entropy converges",
    "a simulation of synchronous cycles, written for this paper alone",
    "tables 1 and 2 in the report of 1989 (table 3 and section 1.4 were not read again)",
    40,
    recompute,
)
