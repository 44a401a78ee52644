"""All figures of a report, in the order in which they are shown."""

from collections.abc import Callable

from gridproof_reports.drawing.figure import Sketch
from gridproof_reports.figures.agreement import Agreement
from gridproof_reports.figures.answers import Answers
from gridproof_reports.figures.balance import Balance
from gridproof_reports.figures.movement import Movement
from gridproof_reports.figures.ownership import Ownership
from gridproof_reports.figures.ownership_shares import OwnershipShares
from gridproof_reports.figures.routes import Routes

FIGURES: tuple[Callable[[], Sketch], ...] = (Routes, Ownership, OwnershipShares, Balance, Movement, Answers, Agreement)
