"""The pages of the protocol are true of the tree, and short."""

import re

from tests.house.source_tree import ROOT
from tools.protocol_pages.choices import all_choices
from tools.protocol_pages.pages import made_pages
from tools.protocol_pages.reasons import REASONS
from tools.protocol_pages.rules import all_rules, pages, plain

WORDS_MAX = 12_000
"""What the rules say, their links not counted; every sign that stands alone, such as `###` or `|`, counts."""
RULES = {rule.number: rule for rule in all_rules()}
CURE = "renew them: python -m tools.protocol_pages"
SAYS = re.compile(r"(Manual: [^.]+|Code)\b|Our choice")
IMPLEMENTATION = "implementation/gridproof_implementation"
OURS = ("model/", f"{IMPLEMENTATION}/protocol/", f"{IMPLEMENTATION}/reference/")


def test_the_pages_show_what_the_tree_has() -> None:
    made = made_pages()

    stale = [name for name, text in made.items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], CURE


def test_the_protocol_is_short() -> None:
    words = sum(len(plain(page.read_text(encoding="utf-8")).split()) for page in pages())

    assert words <= WORDS_MAX


def test_the_rules_of_a_chapter_are_numbered_from_one() -> None:
    numbers: dict[str, list[int]] = {}
    for rule in all_rules():
        numbers.setdefault(rule.chapter, []).append(int(rule.number.partition(".")[2]))

    assert {chapter: found for chapter, found in numbers.items() if found != list(range(1, len(found) + 1))} == {}


def test_every_rule_says_who_says_it() -> None:
    silent = [rule.number for rule in all_rules() if rule.chapter != "systems" and not SAYS.search(rule.says)]

    assert silent == []


def test_every_choice_of_the_members_names_a_rule_that_is_a_choice() -> None:
    nameless = [f"{one.file}: {one.text[:60]}" for one in all_choices() if one.file.startswith(OURS) and not one.rule]
    others = [f"{one.file}: {one.rule}" for one in all_choices() if one.rule and not RULES[one.rule].is_choice]

    assert nameless == [], "write Choice (rule): …"
    assert others == [], "the rule has to say that it is our choice"


def test_every_rule_that_is_a_choice_is_made_somewhere() -> None:
    made = {one.rule for one in all_choices()}

    assert [number for number, rule in RULES.items() if rule.is_choice and number not in made] == []


def test_every_reason_is_given_somewhere() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages())

    assert [letter for letter in REASONS if f"({letter}: " not in text] == []
