"""A page as tests read it."""

import re
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """What a test wants to know of a page: its identifiers, its links, whether its tags close."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.headings: list[int] = []
        self.open: list[str] = []
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [values[name] for name in ("href", "src", "xlink:href") if name in values]
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
