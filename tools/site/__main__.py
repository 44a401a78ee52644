"""Makes the documents a site: `python -m tools.site FOLDER`.

Sphinx reads a copy of the pages, for they link to what is outside `docs/`: decisions, the pages at the root, sources.
A link that leads nowhere is an error.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gridproof

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = Path(__file__).parent
LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)")
"""A link within the repository, and its path."""
HOUSE = ("ARCHITECTURE", "CONTRIBUTING", "GLOSSARY", "CHANGELOG", "SECURITY")
WINGS = ("model", "implementation", "properties", "reports", "tests")


def main() -> int:
    """Make the site, and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="Make the documents a site.")
    parser.add_argument("folder", type=Path, help="where the site goes; an older one there is written over")
    folder: Path = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as kept:
        pages = write_pages(Path(kept))
        sphinx = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--fresh-env"]
        ended = subprocess.run([*sphinx, "-c", SETTINGS, "-d", f"{kept}/.doctrees", kept, folder], check=False)
    if ended.returncode == 0:
        print(f"{pages} pages: {folder / 'index.html'}")
    return ended.returncode


def write_pages(place: Path) -> int:
    """Write every page of the site, and the files that they link to; return how many pages there are."""
    tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [Path(name) for name in tracked.split()]
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text_for_site(name, text), encoding="utf-8")
        for file in linked_files(name, text):
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, place / file)
    (place / "README.md").rename(place / "index.md")
    with (place / "index.md").open("a", encoding="utf-8") as first:
        first.write("\n".join(_contents(caption, pages) for caption, pages in sections().items()))
    (place / "docs" / "api.md").write_text(names_page(), encoding="utf-8")
    return len(names) + 1


def text_for_site(page: Path, text: str) -> str:
    """Return a page with its anchors as Sphinx reads them; of a link to a folder its words are left."""
    text = re.sub(r'^<a id="([^"]+)"></a>$', r"(\1)=", text, flags=re.MULTILINE)
    return re.sub(r"\[([^]]*)\]\(([^)\s#:]+)\)", lambda link: link[1] if _is_folder(page, link[2]) else link[0], text)


def _is_folder(page: Path, link: str) -> bool:
    return (ROOT / page.parent / link).is_dir()


def linked_files(page: Path, text: str) -> Iterator[Path]:
    """Yield every file that a page links to and that is no page: pictures and sources."""
    for found in LINK.finditer(text):
        target = (ROOT / page.parent / found[1]).resolve()
        if target.suffix != ".md" and target.is_file() and target.is_relative_to(ROOT):
            yield target.relative_to(ROOT)


def sections() -> Mapping[str, Sequence[str]]:
    """Return the pages in their order: as the index of the documents has them, then the house and its decisions."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    found: dict[str, Sequence[str]] = {"The documents": ["docs/README"]}
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        caption, _, rest = section.partition("\n")
        found[caption.strip()] = [f"docs/{name}" for name in _named(rest)]
    found["Reference"] = [*found["Reference"], "docs/api"]
    decisions = sorted(f"decisions/{path.stem}" for path in (ROOT / "decisions").glob("*.md"))
    return {**found, "The house": [*HOUSE, *(f"{wing}/README" for wing in WINGS)], "Decisions": decisions}


def names_page() -> str:
    """Return the page of the public names, each as its docstring has it."""
    head = "# Python names\n\nWhat `from gridproof import …` offers; a name is imported when it is first asked for.\n"
    return "\n".join([head, *(_described(name, home) for name, home in sorted(gridproof.HOMES.items()))])


def _named(table: str) -> Sequence[str]:
    return re.findall(r"^\| \[[^]]*\]\(([^)]+)\.md\)", table, flags=re.MULTILINE)


def _contents(caption: str, pages: Sequence[str]) -> str:
    chapters = [
        f"docs/protocol/{name}" for name in _named((ROOT / "docs/protocol/README.md").read_text(encoding="utf-8"))
    ]
    listed = [page for name in pages for page in ([name, *chapters] if name == "docs/protocol/README" else [name])]
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *listed, "```", ""])


def _described(name: str, home: str) -> str:
    kind = "autoclass" if isinstance(getattr(gridproof, name), type) else "autofunction"
    return "\n".join([f"## {name}", "", "```{eval-rst}", f".. {kind}:: {home}.{name}", "```", ""])


if __name__ == "__main__":
    sys.exit(main())
