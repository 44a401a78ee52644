"""Where a fault shows first: two rows, as evidence names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gridproof_reports.pipeline.case import Case
from gridproof_reports.pipeline.columns import Longs


@dataclass(slots=True)
class FirstFault:
    """The positions of the two rows that show it first; None where there is no fault."""

    against: int | None = None
    first: int | None = None

    def see(self, against: Longs, place: Longs) -> None:
        """Take in the positions of pairs of rows that are at fault, of rows behind all that were seen before."""
        if self.first is None and len(place):
            at = np.argmin(place)
            self.against, self.first = int(against[at]), int(place[at])

    def places(self) -> dict[str, int | None]:
        """Return them as a line of evidence has them."""
        return {"against": self.against, "first": self.first}


def places_in(name: str) -> Callable[[Case], Sequence[int]]:
    """Return what finds them in the evidence of a job: the table rows that its witnesses need."""

    def shown(case: Case) -> Sequence[int]:
        faults = [line for line in case.evidence[name] if line["first"] is not None]
        return [position for line in faults for position in (line["against"], line["first"])]

    return shown
