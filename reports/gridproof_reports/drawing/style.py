"""The colours and fonts of all pages.

A colour has a name and two values: one for light and one for dark screens. Figures are drawn in the light values;
`to_svg` then replaces each value by the colour's CSS variable, so that the same drawing fits both kinds of screens.
`to_svg` keeps text as text, so that the text can be read aloud, searched, and shown in the font of the page. If a
drawing is made again, it has the same bytes.
"""

import io
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from gridproof_model.user_error import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Drawing: TypeAlias = "Axes"
"""The object that a figure is drawn on."""

PANEL_WIDTH = 360
"""The width of every panel in px: readable without scaling in a narrow window, and three fit side by side in a wide
one."""
FONT_SIZE = 12
"""Size of a figure's text in px."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour with a meaning."""

    name: str
    light: str
    dark: str

    @property
    def css(self) -> str:
        """The text that stands for the colour in a drawing written as SVG, or in a page."""
        return f"var(--{self.name})"


PAPER = Colour("paper", "#fcfcfa", "#14171a")
SURFACE = Colour("surface", "#f3f4f1", "#1c2126")
INK = Colour("ink", "#1b1f24", "#e4e7ea")
MUTED = Colour("muted", "#59636e", "#9aa5b1")
RULE = Colour("rule", "#d8dbd6", "#343b43")
ACCENT = Colour("accent", "#0a5c7a", "#62b6d6")
HOLDS = Colour("holds", "#1a7340", "#57c98a")
BROKEN = Colour("broken", "#b3231d", "#ff8f85")
UNKNOWN = Colour("unknown", "#845a00", "#e2b23e")

# Choice: the eight colours of Okabe and Ito, which colour-blind readers can distinguish, and four more.
# Yellow is darkened for white paper. With more members than colours a figure shows shares, not members.
MEMBERS = tuple(
    Colour(f"member-{index}", light, dark)
    for index, (light, dark) in enumerate(
        [
            ("#0072b2", "#3d9bd6"),
            ("#e69f01", "#eeb03a"),
            ("#019e73", "#2bb98f"),
            ("#d55e01", "#e87a2e"),
            ("#cc79a7", "#d68fb6"),
            ("#56b4e9", "#84cbf2"),
            ("#c9b802", "#e6d84e"),
            ("#5b3a8c", "#9b7fcb"),
            ("#7a5231", "#b08a66"),
            ("#7f8790", "#a9b1ba"),
            ("#86b01f", "#a8d04a"),
            ("#8c1d4f", "#d05a90"),
        ]
    )
)

SLOTS = tuple(
    Colour(f"slot-{index}", light, dark)
    for index, (light, dark) in enumerate(
        zip(
            ["#0b4a63", "#3c83a0", "#7db3c9", "#a3cad9", "#bfdae4", "#d3e5ec", "#e3eef2"],
            ["#8fd3ee", "#4f9dbb", "#33718a", "#295a6f", "#224959", "#1e3c49", "#1b333d"],
            strict=True,
        )
    )
)
"""The colours of slots: slot 0 is the darkest, slot 6 the lightest."""

COLOURS = (PAPER, SURFACE, INK, MUTED, RULE, ACCENT, HOLDS, BROKEN, UNKNOWN, *MEMBERS, *SLOTS)

_VARIABLES = {colour.light: colour.css for colour in COLOURS}


def css_variables() -> str:
    """Return the style sheet that gives each colour its value for light and for dark screens."""
    light = "".join(f"--{colour.name}:{colour.light};" for colour in COLOURS)
    dark = "".join(f"--{colour.name}:{colour.dark};" for colour in COLOURS)
    return f":root{{color-scheme:light dark;{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def new_drawing(height_px: float) -> "Drawing":
    """Return an empty drawing that is as wide as a panel, measured in px from its top left corner."""
    # Imported here: most commands need colours only, and matplotlib takes longer to load than they take to run.
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(PANEL_WIDTH / 72, height_px / 72), dpi=72)
    drawing = canvas.add_axes((0, 0, 1, 1))
    drawing.set_xlim(0, PANEL_WIDTH)
    drawing.set_ylim(height_px, 0)
    drawing.set_autoscale_on(False)
    drawing.axis("off")
    return drawing


def write(drawing: Drawing, x: float, y: float, text: str, colour: Colour = INK, smaller: int = 0, **how: Any) -> None:
    """Write a text, not read as mathematics, at a place that is its middle in height unless `how` says otherwise."""
    how = {"va": "center", **how}
    drawing.text(x, y, text, size=FONT_SIZE - smaller, color=colour.light, parse_math=False, **how)


def to_svg(drawing: Drawing, label: str) -> str:
    """Return the drawing as an SVG element for a page; `label` is its text for screen readers."""
    import matplotlib

    canvas = drawing.get_figure(root=True)
    assert canvas is not None
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    text = io.StringIO()
    _write_out_signs(canvas)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": label}):
        canvas.savefig(text, format="svg", metadata=nothing, facecolor="none")
    return open_svg(PANEL_WIDTH, round(canvas.get_figheight() * 72), label) + _cleaned(text.getvalue()) + "</svg>"


def _write_out_signs(canvas: "Figure") -> None:
    """Replace unprintable characters in the texts of a drawing, since keys and names are not gridproof's own."""
    from matplotlib.text import Text

    for text in canvas.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(printable(text.get_text(), "\n"))


def to_png(drawing: Drawing) -> bytes:
    """Return the drawing as a PNG for light screens, with three pixels for each px of the drawing."""
    canvas = drawing.get_figure(root=True)
    assert canvas is not None
    data = io.BytesIO()
    _write_out_signs(canvas)
    canvas.savefig(data, format="png", dpi=216, metadata={"Software": None}, facecolor=PAPER.light)
    return data.getvalue()


def open_svg(width: float, height: float, label: str) -> str:
    """Return the opening tag of a drawing that is scaled to the width of its column."""
    return f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">'


NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
"""The XML namespaces: they are not needed in a page, but browsers do not show an SVG file that lacks one of them."""


def to_file(svg: str) -> str:
    """Return a drawing of `to_svg` as a document of its own, with its colours for light and for dark screens."""
    look = f"<style>{css_variables()}svg{{background:{PAPER.css};font-family:system-ui,sans-serif}}</style>"
    inside = svg.index(">") + 1
    return f"{svg[:4]} {NAMESPACES}{svg[4:inside]}{look}{svg[inside:]}"


def _cleaned(document: str) -> str:
    """Return only the drawing, without styles for the whole page, without unused identifiers, and without a font."""
    body = document[document.index(">", document.index("<svg")) + 1 : document.rindex("</svg>")]
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    used = set(re.findall(r"#([A-Za-z][\w.-]*)[\")]", body))
    body = re.sub(r' id="([^"]*)"', lambda found: found.group(0) if found.group(1) in used else "", body)
    body = re.sub(r" ?font-family: [^;\"]*;?", "", body)
    body = re.sub(r"#[0-9a-f]{6}\b", lambda found: _VARIABLES.get(found.group(0), found.group(0)), body)
    body = re.sub(r' transform="rotate\(-?0 [^"]*"', "", body)
    return re.sub(r"\s*\n\s*", " ", body)
