"""Bounds of a share: how often of how many."""


def share_bounds(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the bounds of a share of independent trials, by E. B. Wilson (JASA 1927); `trials` is at least 1."""
    # Imported now: whoever asks for no share need not wait for it.
    from scipy.stats import binomtest

    bounds = binomtest(hits, trials).proportion_ci(confidence, method="wilson")
    return float(bounds.low), float(bounds.high)
