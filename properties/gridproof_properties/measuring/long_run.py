"""Quantities that are measured without a time limit.

Measures without a time limit solve equations of one kind, A x = b: the diagonal of A has the rates at which states are
left, and the other elements are the negated rates between states. Small equations are solved by elimination without
subtraction (`solving.py`). Large equations are solved approximately, and the solution is checked against the equation:
since the inverse of A has no negative element, the error of the solution is at most the error of the equation times the
expected time.

The factorisation of a large equation runs in SciPy's C code, which Python cannot interrupt. So the factorisation runs
in a copy of this process, which the operating system ends if it takes too long.
"""

import signal
from collections.abc import Callable
from math import inf
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.child import ENDING, EndedError, apart
from gridproof_properties.explorer.sparse import Floats, Mask, Solver, Sparse, components_of, row_sums
from gridproof_properties.measuring.chain import Chain
from gridproof_properties.measuring.estimate import RELATIVE_ERROR_MAX, ROUNDING, Estimate, exactly, in_range
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.solving import ELIMINATED_MAX, Absorbing, rounding_of_elimination, stationary

SOLVING_S = 50.0
"""The largest processor time, in seconds, for a number that needs sparse equations."""
Found = TypeVar("Found")
FILL = 12.0
"""The largest size of an incomplete factorisation, as a multiple of the size of the matrix."""
ROUNDS = 3
"""How many times an approximate solution is corrected."""
AIM = 1e-11
"""A solution is not corrected further if the error of its equation is at most this."""


def ever(chain: Absorbing) -> Estimate:
    """Return the probability that a chain ever reaches its goal."""
    if chain.size == 0:
        return exactly(chain.at_goal)
    return _in_time(chain.size, lambda: _exact_enough(_ever(chain))) if chain.may_be_lost else exactly(1.0)


def expected_time(chain: Absorbing) -> Estimate:
    """Return the expected time to the goal in seconds; infinite unless the goal is certain to be reached."""
    if chain.may_be_lost or not chain.is_reachable:
        return exactly(inf)
    return _in_time(chain.size, lambda: _exact_enough(_expected_time(chain))) if chain.size else exactly(0.0)


def long_run(chain: Chain, per_s: Floats) -> Estimate:
    """Return the long-run mean per second of an amount that is collected in each state.

    If a chain ends in one of several recurrent parts, the mean over these parts is returned.
    """
    return _in_time(chain.size, lambda: _long_run(chain, per_s))


def _in_time(size: int, compute: Callable[[], Found]) -> Found:
    """Return the result of a computation on `size` states; raise UnmeasurableError if sparse equations take too
    long."""
    return compute() if size <= ELIMINATED_MAX else within_patience(compute)


def _long_run(chain: Chain, per_s: Floats) -> Estimate:
    met = chain.reached(np.ones(chain.size, dtype=bool))
    rates, per_s, start = chain.part(met), per_s[met], chain.start[met]
    parts = _recurrent_parts(rates)
    final = np.zeros(start.size, dtype=bool)
    means, error = np.zeros_like(per_s), 0.0
    alone = np.array([part[0] for part in parts if part.size == 1], dtype=np.intp)
    final[alone], means[alone] = True, per_s[alone]
    for part in parts:
        if part.size > 1:
            final[part] = True
            means[part], off = _mean(rates[part][:, part].tocsr(), per_s[part])
            error = float(np.maximum(error, off))
    if not per_s[final].any():
        return exactly(0.0)
    if len(parts) == 1:
        solved, value = parts[0].size, float(means[parts[0][0]])
    else:
        solved = start.size - final.sum()
        value, error = _mixed(rates, start, final, means, error)
    return _exact_enough(Estimate(value, error, "elimination" if solved <= ELIMINATED_MAX else "sparse solution"))


def _expected_time(chain: Absorbing) -> Estimate:
    if chain.size <= ELIMINATED_MAX:
        mean = float(_times_before(chain.rates, chain.goal + chain.lost, chain.start).sum())
        return Estimate(mean, rounding_of_elimination(chain.size + 1), "elimination")
    times, off = _solved(chain.rates, chain.exits, [np.ones(chain.size)])
    return Estimate(float(chain.start @ times[0]), _relative(off[0]), "sparse solution")


def _ever(chain: Absorbing) -> Estimate:
    """Return the probability of reaching the goal, if reaching it is not certain."""
    if chain.size <= ELIMINATED_MAX:
        arrived = float(_times_before(chain.rates, chain.goal + chain.lost, chain.start) @ chain.goal)
        return Estimate(chain.at_goal + arrived, rounding_of_elimination(chain.size + 1), "elimination")
    (times, found), off = _solved(chain.rates, chain.exits, [np.ones(chain.size), chain.goal])
    value = chain.at_goal + float(chain.start @ found)
    error = off[1] * float(chain.start @ times) * (1 + _relative(off[0]))
    return Estimate(value, error / value, "sparse solution")


def _times_before(rates: Sparse, leaving: Floats, start: Floats) -> Floats:
    """Return the expected time in each state until the chain leaves all of them, at the rates `leaving`."""
    size = start.size
    full = np.zeros((size + 1, size + 1))
    full[1:, 1:] = rates.todense()
    full[1:, 0] = leaving
    full[0, 1:] = start
    shares = stationary(full)
    times: Floats = (shares[1:] / shares[0]).astype(np.float64)
    return times


def _recurrent_parts(rates: Sparse) -> list[NDArray[np.intp]]:
    """Return the sets of states that are never left once entered, each with its states in ascending order."""
    labels = components_of(rates)
    sources = np.repeat(labels, np.diff(rates.indptr))
    is_left = np.zeros(int(labels.max()) + 1, dtype=bool)
    is_left[sources[sources != labels[rates.indices]]] = True
    states = np.flatnonzero(~is_left[labels])
    order = states[np.argsort(labels[states], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _mean(rates: Sparse, per_s: Floats) -> tuple[float, float]:
    """Return the mean amount collected per second in a recurrent chain, and its relative error."""
    if per_s.size <= ELIMINATED_MAX:
        return float(stationary(np.asarray(rates.todense())) @ per_s), rounding_of_elimination(per_s.size)
    # A cycle begins when the chain enters its first state; the mean is a cycle's total divided by the cycle's length.
    others, back = rates[1:][:, 1:].tocsr(), np.asarray(rates[[0]].todense()).ravel()[1:]
    (times, found), off = _solved(others, row_sums(rates)[1:], [np.ones(per_s.size - 1), per_s[1:]])
    time, sure = float(back @ times), _relative(off[0])
    mean = (float(per_s[0]) + float(back @ found)) / (1 + time)
    error = off[1] * time * (1 + sure) / (1 + time)
    return mean, error / mean + sure if mean > 0 else (inf if per_s.any() else 0.0)


def _mixed(rates: Sparse, start: Floats, final: Mask, means: Floats, error: float) -> tuple[float, float]:
    """Return the mean over recurrent parts, weighted by the probability that the chain ends in each, and its error."""
    passing = ~final
    ended = float(start[final] @ means[final])
    if not passing.any():
        return ended, error
    rows = rates[passing]
    among, leaving = rows[:, passing].tocsr(), rows[:, final]
    out, begin = leaving @ means[final], start[passing]
    if begin.size <= ELIMINATED_MAX:
        value = ended + float(_times_before(among, row_sums(leaving), begin) @ out)
        return value, error + rounding_of_elimination(begin.size + 1)
    (times, found), off = _solved(among, row_sums(rows), [np.ones(begin.size), out])
    time = float(begin @ times) * (1 + _relative(off[0]))
    value = ended + float(begin @ found)
    return value, error + (off[1] * time / value if value else 0.0)


def _solved(rates: Sparse, exits: Floats, rights: list[Floats]) -> tuple[list[Floats], list[float]]:
    """Return the solutions for several right-hand sides, and for each the largest error of its equation in any state.

    The first right-hand side is 1 in every state; its error is relative to the expected time.
    """
    try:
        solver = Solver(exits, rates, FILL)
    except (RuntimeError, MemoryError) as error:
        why = f"the equations of {exits.size:,} states cannot be solved: {error}"
        raise UnmeasurableError(f"{why}; simulate the world with --split") from None
    per_state = int(np.diff(rates.indptr).max(initial=0)) + 4
    found: list[Floats] = []
    off: list[float] = []
    for right in rights:
        solution = solver.solve(right)
        for _ in range(ROUNDS):
            missing = right - (exits * solution - rates @ solution)
            if np.abs(missing).max() <= AIM * np.abs(right).max():
                break
            solution = solution + solver.solve(missing)
        missing = np.abs(right - (exits * solution - rates @ solution))
        size = right + exits * np.abs(solution) + rates @ np.abs(solution)
        found.append(solution)
        off.append(float((missing + per_state * ROUNDING * size).max()))
    return found, off


def _relative(off: float) -> float:
    """Return the bound on the relative error of an expected time, from the error of its equation."""
    return off / (1 - off) if off < 1 else inf


def _exact_enough(found: Estimate) -> Estimate:
    if not in_range(found).relative_error <= RELATIVE_ERROR_MAX:
        result = f"the result is about {found.value:.3g}, but is not reported"
        off = f"its relative error may be {found.relative_error:.0e}, more than {RELATIVE_ERROR_MAX:.0e}"
        raise UnmeasurableError(f"{result}: {off}; simulate the world with --split")
    return found


def within_patience(compute: Callable[[], Found], patience_s: float = SOLVING_S) -> Found:
    """Return the result of a computation in a copy of this process; raise UnmeasurableError if it takes too long, or if
    the computation raises it."""

    def limited() -> Found | UnmeasurableError:
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        if hasattr(signal, "setitimer"):  # on Windows nothing ends it
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, patience_s)
        try:
            return compute()
        except UnmeasurableError as reason:
            return reason

    try:
        found = apart(limited)
    except EndedError:
        raise UnmeasurableError(
            f"the world's equations were not solved within {patience_s:g} s of processor time, or need more memory "
            "than there is; choose a smaller world, ask for the probability within a time (`--quantity within`), or "
            "simulate it with --split"
        ) from None
    if isinstance(found, UnmeasurableError):
        raise found
    return found
