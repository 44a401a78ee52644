"""`gridproof properties`, as typed."""

import re

import pytest

from gridproof.citations import SEEDS, links_of
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.judge import Property
from suite.zoo.members import MEMBER_MUTANTS
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT


def headings(page: str) -> set[str]:
    """Return the places of a page of the documentation that a link can name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = text.splitlines()
    titles = [line.lstrip("# ").lower().replace(" ", "-") for line in lines if line[:1] == "#"]
    return {re.sub(r"[^a-z0-9-]", "", title) for title in titles} | set(re.findall(r'<a id="([^"]+)">', text))


def test_every_property_is_listed_with_its_severity(gridproof: CommandLine) -> None:
    listed = gridproof("properties")

    assert listed.status == 0
    assert [prop.name for prop in CATALOGUE if prop.name not in listed.out] == []
    assert "data-loss" in listed.out


def test_a_name_reports_source_limits_and_what_it_killed(gridproof: CommandLine) -> None:
    shown = gridproof("properties", "acknowledged-append-kept").out

    assert "source: seed: Replication Algorithm for AP Data Structures; calls.18, repair.13" in shown
    assert "repair.13: A write that b sync backups acknowledged survives b crashes." in shown
    assert "docs/protocol/repair.md#repair.13" in shown
    assert "not promised where: a member that held a copy ended, together with: the cluster state" in shown
    assert "killed append-lost: " in shown


def test_json_names_the_mutants_of_the_zoo_that_broke_a_property(gridproof: CommandLine) -> None:
    (shown,) = gridproof("properties", "no-orphan", "--json").json["properties"]

    numbers = {one.number for one in MEMBER_MUTANTS if one.is_proved and "no-orphan" in one.breaks}
    assert {bug["number"] for bug in shown["killed"]} - {None} == numbers != set()
    assert shown["severity"] == "protocol"


def test_json_lists_every_property_once(gridproof: CommandLine) -> None:
    listed = gridproof("properties", "--json").json["properties"]

    assert [one["name"] for one in listed] == [prop.name for prop in CATALOGUE]


def test_an_unknown_name_is_one_line_with_the_nearest(gridproof: CommandLine) -> None:
    wrong = gridproof("properties", "full-row")

    assert wrong.status == 2
    assert wrong.err == "gridproof: no property is called 'full-row': did you mean full-rows?\n"
    assert wrong.out == ""


@pytest.mark.parametrize("prop", CATALOGUE, ids=lambda prop: str(prop.name))
def test_every_citation_leads_somewhere(prop: Property) -> None:
    links = links_of(prop.source)

    pages = [link.partition("#")[::2] for link in links if not link.startswith("https:")]
    assert links
    assert [f"{page}#{place}" for page, place in pages if place and place not in headings(page)] == []
    assert [page for page, _ in pages if not (ROOT / page).exists()] == []


def test_the_page_of_sources_has_every_address() -> None:
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")

    assert [section for section, address in SEEDS.items() if address not in page or section not in page] == []
