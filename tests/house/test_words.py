"""One word for one thing: synonyms that the glossary bans are nowhere."""

import re

import pytest

from tests.house.source_tree import ROOT

ROW = re.compile(r"^\| [^|]+ \| ([^|]+) \|$")
PLACES = ("model", "implementation", "properties", "reports", "gridproof", "tests", "benchmarks", "tools", "docs")
READS_OLD_FILES = {
    ("scenario_file.py", "seat"),
    ("protocol_names.py", "Told"),
    *((name, word) for name in ("version_1.py", "test_version_1.py") for word in ("told", "Told")),
}
"""Where a name of before has to stand: files of users hold it, or what a seed draws depends on it."""
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")


def banned() -> list[str]:
    """Return the words on the right of the glossary's table of synonyms."""
    text = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8").split("## One word for one thing")[1]
    cells = [row.group(1) for row in map(ROW.match, text.splitlines()) if row and row.group(1) != "not"]
    return [word.split(" (")[0].strip() for cell in cells for word in cell.split(",")]


def stems(words: list[str]) -> re.Pattern[str]:
    """Return what finds them, also as a part of a name: `draw_errands`, `ErrandQueue`."""
    return re.compile("|".join(f"(?<![a-z]){word}|{word.capitalize()}" for word in words if word != "strike"))


def test_the_table_is_read() -> None:
    assert {"errand", "strike", "wishes"} <= set(banned())


@pytest.mark.parametrize("place", PLACES)
def test_no_banned_synonym_is_used(place: str) -> None:
    pattern, files = stems(banned()), [path for end in ("py", "md") for path in (ROOT / place).rglob(f"*.{end}")]

    lines = [f"{path.relative_to(ROOT)}: {found.group()}" for path in files if path.name != "test_words.py"
             for found in pattern.finditer(path.read_text(encoding="utf-8"))
             if (path.name, found.group()) not in READS_OLD_FILES]  # fmt: skip
    assert lines == []


@pytest.mark.parametrize("name", TOP)
def test_no_banned_synonym_stands_at_the_top(name: str) -> None:
    assert stems(banned()).search((ROOT / name).read_text(encoding="utf-8")) is None


def test_a_fault_event_is_no_strike() -> None:
    """As a verb it is plain English: a fault strikes."""
    noun = re.compile(r"\b(?:class Strike|Strike\(|strikes?: |(?:a|the|each|every) strikes?\b)")
    files = [path for place in PLACES for path in (ROOT / place).rglob("*.py") if path.name != "test_words.py"]

    assert [path.name for path in files if noun.search(path.read_text(encoding="utf-8"))] == []
