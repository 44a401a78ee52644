"""Runs in which nothing is wrong."""

from functools import cache

from gridproof_implementation.adapter import Options
from gridproof_model.trace import Record, RouteRecord
from gridproof_properties.audits.grid import GridPlan, audit_grid
from gridproof_properties.audits.routing import audit_routes
from tests.properties.honest_grid import IN_MEMORY, HonestGrid
from tests.properties.wrong_routers import RuleRouter
from tests.suite.tour import tour

GRID = Options(partition_count=29)
PLAN = GridPlan(key_count=60, crash_write_count=6, settle_deadline_ms=1_000)


@cache
def good_run() -> tuple[Record, ...]:
    """An audit of a grid without fault, and behind it the routes of a router without fault."""
    records: list[Record] = []
    audit_grid(HonestGrid(GRID), IN_MEMORY, GRID, records.append, PLAN)
    routes: list[Record] = []
    audit_routes(RuleRouter(), "a router", Options(), routes.append, 100)
    return (*records, *(record for record in routes if isinstance(record, RouteRecord)))


@cache
def good_tour() -> tuple[Record, ...]:
    """The scripted schedule, played by the reference: nothing is planted."""
    return tuple(tour())
