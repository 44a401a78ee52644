"""The quantities that are measured in each run.

A quantity is measured in one run, from the run's records and messages; a campaign measures many runs.
"""

from gridproof_properties.measures import outages, redundancy, staleness, traffic, writes
from gridproof_properties.measures.quantity import Quantity

QUANTITIES: tuple[Quantity, ...] = (
    *writes.QUANTITIES,
    *staleness.QUANTITIES,
    *traffic.QUANTITIES,
    *outages.QUANTITIES,
    *redundancy.QUANTITIES,
)
"""All quantities, by theme."""
