"""The page of promises by fault condition is what the adapters say, and no cell of it is without a source."""

from pathlib import Path

import pytest

from gridproof_implementation.adapter import FaultCondition, Kind
from gridproof_implementation.adapters import ADAPTERS
from tests.house.source_tree import ROOT
from tools.promises_page import unexplained, with_tables

GRIDS = [adapter for adapter in ADAPTERS if adapter.kind is Kind.GRID and not adapter.repeatable]


def test_the_page_is_what_the_adapters_say() -> None:
    page = Path(ROOT / "docs/promises.md").read_text("utf-8")

    assert with_tables(page) == page, "renew it: python -m tools.promises_page docs/promises.md"


@pytest.mark.parametrize("adapter", GRIDS, ids=lambda one: one.name)
def test_where_less_is_promised_the_adapter_has_what_the_documents_say(adapter: object) -> None:
    assert unexplained(adapter) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("system", ["hazelcast", "vecgrid"])
def test_what_one_member_takes_along_is_held_whichever_way_it_ends(system: str) -> None:
    kept = next(one for one in GRIDS if one.name == system).promises["acknowledged-write-kept"]

    assert {FaultCondition.CRASH, FaultCondition.HOST_CRASH, FaultCondition.RESTART} <= set(kept.under)
    assert FaultCondition.CRASHES not in kept.under
