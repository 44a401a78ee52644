"""Variables of a configuration, such as `${cluster.name}`.

Hazelcast fills them from the properties of its process; here the user does. What nobody fills stays as it is, and the
setting counts as not set.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

VARIABLE = re.compile(r"\$\{([^${}]+)\}")
Fill = Callable[[str, int], str]
"""From a text and its line to the text that counts."""


def as_it_stands(text: str, line: int) -> str:
    """Return the text."""
    return text


@dataclass(slots=True)
class Variables:
    """The values of variables, and what was found of them in one file."""

    values: Mapping[str, str]
    unfilled: list[tuple[int, str]] = field(default_factory=list)
    """Line and name of each variable without a value."""
    _used: set[str] = field(default_factory=set)

    @property
    def unused(self) -> list[str]:
        """Names that have a value and stand nowhere."""
        return sorted(set(self.values) - self._used)

    def fill(self, text: str, line: int) -> str:
        """Return a text with its variables filled, as far as they have values."""
        if "${" not in text:
            return text
        self._used.update(VARIABLE.findall(text))
        self.unfilled += [(line, name) for name in VARIABLE.findall(text) if name not in self.values]
        return VARIABLE.sub(lambda found: self.values.get(found[1], found[0]), text)
