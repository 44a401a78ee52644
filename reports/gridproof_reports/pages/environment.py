"""The environment in which templates are found and filled.

Everything that a template prints is escaped, except drawings, which are complete SVG elements; an unknown name in a
template is an error.
"""

import os
import platform
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from gridproof_model.user_error import printable
from gridproof_properties.judging.verdict import PromiseLevel, standing_of
from gridproof_reports.drawing.style import MEMBERS, css_variables

if TYPE_CHECKING:
    from jinja2 import Environment

PROMISE_WORDS = {
    PromiseLevel.PROMISED: "Promised",
    PromiseLevel.WEAKNESS: "Documented weaknesses",
    PromiseLevel.NONE: "Not promised",
}

PROMISE_CHIPS = {
    PromiseLevel.PROMISED: "promised",
    PromiseLevel.WEAKNESS: "documented weakness",
    PromiseLevel.NONE: "not promised",
}


@cache
def environment() -> "Environment":
    """Return the environment in which all pages are rendered; it keeps its templates, once compiled."""
    # Imported here: a command makes its page last, and many commands make none.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("gridproof_reports.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        css_variables=css_variables(),
        promise_words=PROMISE_WORDS,
        promise_chips=PROMISE_CHIPS,
        standing_of=standing_of,
        made_by=made_by,
        lane_colour=lambda lane: MEMBERS[lane % len(MEMBERS)].css,
    )
    made.filters.update(seconds=seconds_in_words, at=lambda at_ms: f"{at_ms / 1000:,.3f} s", coded=coded)
    return made


def made_by() -> str:
    """Return which program made a page, and on which day; the day is that of SOURCE_DATE_EPOCH if this is set."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    made = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else datetime.now(UTC)
    return f"Drawn by gridproof {version('gridproof')}, Python {platform.python_version()}, on {made:%Y-%m-%d}."


def coded(text: str) -> str:
    """Return a text, escaped, in which the parts between backticks are marked as code."""
    from markupsafe import Markup, escape

    around = str(escape(text)).split("`")
    if len(around) % 2 == 0:  # one backtick has no partner
        return Markup("`".join(around))
    return Markup("".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(around)))


def _inert(value: object) -> object:
    """Return a text with unprintable characters as escapes, so that none affects the page; other values as they are."""
    return type(value)(printable(value, "\n\t")) if isinstance(value, str) and not value.isprintable() else value


def seconds_in_words(seconds: float) -> str:
    """Return a duration as people write it: "0.4 s", "12 s", "2 min 5 s"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
