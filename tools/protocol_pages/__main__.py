"""Writes the pages anew."""

from tools.protocol_pages.pages import made_pages
from tools.protocol_pages.rules import ROOT


def main() -> None:
    """Write every file whose text is another now."""
    for name, text in made_pages().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
