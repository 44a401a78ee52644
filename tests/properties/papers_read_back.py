"""The page of recomputed papers, read back."""

import re
from collections.abc import Mapping

from gridproof_properties.recomputing.paper import Comparison

_ROW = re.compile(r"^\| (.+?) \| .* \| ([a-z ]+?)(?: \(\d+\))? \|$", re.MULTILINE)


def read_page(text: str) -> Mapping[str, Mapping[str, Comparison]]:
    """Read a page back: how each cell of each paper compares, by paper and place."""
    words = {comparison.value: comparison for comparison in Comparison}
    sections = text.split("\n## ")[1:]
    return {
        section.partition("\n")[0]: {row[1]: words[row[2]] for row in _ROW.finditer(section) if row[2] in words}
        for section in sections
    }
