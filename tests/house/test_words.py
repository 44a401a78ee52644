"""One word for one thing: synonyms that the glossary bans are nowhere."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.house.source_tree import ROOT

HEADING = "## One word for one thing"
ROW = re.compile(r"^\| [^|]+ \| ((?:[^|\\]|\\.)+) \|$")
BANS = re.compile(r'"[^"]+"|`[^`]+`')
READS_OLD_FILES = {
    "scenario_file.py": {"seat"},
    "protocol_names.py": {"Told", "SweepEnded"},
}
"""Where a name of before has to stand: files of users hold it, or what a seed draws depends on it."""
NOT_READ = ("LICENSE", "decisions/0007-rooms-and-words.md", "tests/house/test_words.py")
"""Another's text, and what says which words were replaced."""


def banned() -> list[str]:
    """Return what the glossary's second table bans: stems in quotation marks, and regular expressions in backticks."""
    text = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8").split(HEADING)[1]
    cells = [row.group(1) for row in map(ROW.match, text.splitlines()) if row]
    return [word.strip('"').replace(r"\|", "|") for cell in cells for word in BANS.findall(cell)]


def patterns_of(word: str) -> list[str]:
    """Return what finds a word; a stem also as a part of a name: `draw_errands`, `ErrandQueue`, `ERRANDS`."""
    if word.startswith("`"):
        return [word.strip("`")]
    # Each begins with plain letters, so that eight million characters are searched for all of them in two seconds.
    return [f"{word}(?<![a-z]{word})", word.capitalize(), f"{word.upper()}(?<![A-Z]{word.upper()})"]


BANNED = [re.compile(pattern) for word in banned() for pattern in patterns_of(word)]


def hits(text: str) -> Iterator[re.Match[str]]:
    """Yield every banned word in a text."""
    for pattern in BANNED:
        yield from pattern.finditer(text)


def texts() -> dict[str, str]:
    """Return every text file that git knows or would add, by its path; of the glossary, what is above the table."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    paths = [ROOT / name for name in listed if name and name not in NOT_READ]
    read = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    found = {name: content.decode("utf-8") for name, content in read.items() if b"\0" not in content}
    return found | {"GLOSSARY.md": found["GLOSSARY.md"].split(HEADING)[0]}


def test_the_table_is_read() -> None:
    assert {"errand", "wish", r"\bStrike\(", "StruckOff"} <= {word.strip("`") for word in banned()}


@pytest.mark.parametrize(
    "said",
    [
        "draw_errands",
        "ErrandQueue",
        "ERRANDS",
        "Whoever tells",
        "a mutant is caught",
        "each strike",
        "strikes a member off",
    ],
)
def test_a_banned_word_is_found(said: str) -> None:
    assert list(hits(said))


@pytest.mark.parametrize("said", ["indeed", "faults strike", "as caught:", "a backup that has caught up", "a fortune"])
def test_an_innocent_word_is_let_pass(said: str) -> None:
    assert not list(hits(said))


def test_no_banned_synonym_is_used() -> None:
    found = [
        f"{name}:{text.count(chr(10), 0, hit.start()) + 1}: {hit.group()}"
        for name, text in texts().items()
        for hit in hits(text)
        if hit.group() not in READS_OLD_FILES.get(name.rpartition("/")[2], ())
    ]

    assert found == [], "say what GLOSSARY.md has on the left of its second table"
