"""A configuration as settings, whatever file it came from.

Both readers make these values, so that everything after them is written once. They have the shape of Hazelcast's YAML:
a setting is text, a section of named settings, or a list.

What a user should know of a usable file.

Variables of a configuration, such as `${cluster.name}`. Hazelcast fills them from the properties of its process; here
the user does. What nobody fills stays as it is, and the setting counts as not set.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from gridproof_model.user_error import UserError

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


@dataclass(slots=True)
class Notes:
    """What was passed over, and what was taken, line by line."""

    found: list[tuple[int, str]] = field(default_factory=list)
    """Lines and sentences."""
    taken: list[tuple[int, str]] = field(default_factory=list)
    """Lines, and what each says that takes effect."""

    def add(self, line: int, sentence: str) -> None:
        """Note something about a line."""
        self.found.append((line, sentence))

    def take(self, line: int, what: str) -> None:
        """Say what of a line takes effect."""
        self.taken.append((line, what))


DEPTH_MAX = 64
"""Deeper than any configuration; a file nested further is refused before it exhausts the stack."""
SETTINGS_MAX = 20_000
"""Settings of one file, those counted again that it refers to or merges in: far more than any configuration has."""
MESSAGE_MAX = 400
"""Characters of an error; enough for every sentence, not for a whole file in quotes."""
UNKNOWN_MAX = 200
"""Names of a section that are compared with the known ones; one of thousands that nobody knows has no misspelt one."""
NEAR = 0.8
"""How alike a misspelt word and the right one are, as `difflib` measures it."""


class ConfigError(UserError, ValueError):
    """A configuration that cannot be used; one line: file and line, what is wrong, and the cure."""


class SettingError(ValueError):
    """What is wrong at one line; whoever knows the file makes it a ConfigError."""

    def __init__(self, line: int, message: str) -> None:
        one_line = " ".join(message.splitlines())  # a text of the user's may have several lines, or no end
        super().__init__(one_line if len(one_line) <= MESSAGE_MAX else f"{one_line[:MESSAGE_MAX]}…")
        self.line = line


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text, without the spaces around it."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    values: tuple["Setting", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """Named settings, in the order they were written; a name may stand twice."""

    entries: tuple[tuple[Scalar, "Setting"], ...]
    line: int

    def get(self, name: str) -> "Setting | None":
        """Return the one setting of a name, None where there is none; SettingError where there are two.

        A setting whose variable nobody filled is none: what the file reader has noted counts as not set.
        """
        found = [(key, value) for key, value in self.entries if key.text == name and not is_unfilled(value)]
        if len(found) > 1:
            raise SettingError(found[1][0].line, f"{name} is set twice, first in line {found[0][0].line}; remove one")
        return found[0][1] if found else None

    def get_all(self, name: str) -> Iterator["Setting"]:
        """Yield every setting of a name."""
        return (value for key, value in self.entries if key.text == name)

    def check_names(self, known: Collection[str], where: str, *, closed: bool) -> None:
        """Refuse a misspelt name, and in a closed section every name that is not known.

        An open section has more settings than are read here: an unknown name is refused only where it is almost a
        known one.
        """
        for key, _ in [entry for entry in self.entries if entry[0].text not in known][:UNKNOWN_MAX]:
            cure = did_you_mean(key.text, known)
            if cure or closed:
                raise SettingError(key.line, f'{where} has no setting "{key.text}"{cure or _choose(known)}')


Setting = Scalar | Section | Items


def check_count(settings: int, line: int) -> None:
    """SettingError where a file has more settings than a configuration; what it has is not read to the end."""
    if settings > SETTINGS_MAX:
        raise SettingError(line, f"the file has more than {SETTINGS_MAX:,} settings; no configuration has so many")


def is_unfilled(setting: Setting) -> bool:
    """Whether a setting is a text with a variable that nobody filled."""
    return isinstance(setting, Scalar) and "${" in setting.text


def text_of(setting: Setting, what: str) -> str:
    """Return the text of a setting; SettingError where it is no text, or text that only Hazelcast can fill in."""
    if not isinstance(setting, Scalar):
        raise SettingError(setting.line, f"{what} must be a text, not a list or a section")
    if is_unfilled(setting):
        raise SettingError(setting.line, f'{what} is "{setting.text}"; write the value, or fill it with --set')
    return setting.text


def section_of(setting: Setting, what: str) -> Section:
    """Return a setting as a section; no text at all is an empty one."""
    if isinstance(setting, Section):
        return setting
    if isinstance(setting, Scalar) and setting.text == "":
        return Section((), setting.line)
    raise SettingError(setting.line, f"{what} must hold settings, each with a name")


def items_of(setting: Setting, what: str) -> Items:
    """Return a setting as a list; no text at all is an empty one."""
    if isinstance(setting, Items):
        return setting
    if isinstance(setting, Scalar) and setting.text == "":
        return Items((), setting.line)
    raise SettingError(setting.line, f"{what} must be a list")


def switch_of(setting: Setting, what: str) -> bool:
    """Return a setting that is true or false."""
    text = text_of(setting, what)
    if text.lower() not in ("true", "false"):
        raise SettingError(setting.line, f'{what} is "{text}"; it must be true or false')
    return text.lower() == "true"


def number_of(setting: Setting, what: str, of_which: str) -> int:
    """Return a setting that is a whole number, at most nine digits; `of_which` says which numbers are meant."""
    text = text_of(setting, what)
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise SettingError(setting.line, f'{what} is "{text}"; it must be a whole number {of_which}')
    return int(text)


def each_once(section: Section, what: str) -> Iterator[tuple[Scalar, Setting]]:
    """Yield every entry of a section whose names the user chooses; SettingError where a name stands twice.

    An entry whose variable nobody filled is passed over, as by `Section.get`.
    """
    first: dict[str, int] = {}
    for key, value in section.entries:
        if is_unfilled(value):
            continue
        if key.text in first:
            raise SettingError(key.line, f'{what} "{key.text}" is set twice, first in line {first[key.text]}')
        first[key.text] = key.line
        yield key, value


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return the end of a sentence that names the known word most like this one, or nothing."""
    near = get_close_matches(word, known, n=1, cutoff=NEAR)
    return f"; did you mean {near[0]}?" if near else ""


def _choose(known: Collection[str]) -> str:
    return f"; it has {', '.join(known)}"
