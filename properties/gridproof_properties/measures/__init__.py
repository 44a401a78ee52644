"""The quantities by which runs are measured.

A quantity is measured in one run, from its records and its messages; a campaign measures many.
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
"""Every quantity, by theme."""
