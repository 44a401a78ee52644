"""The settings of a configuration, in one form for both file formats.

The readers of both formats return values of this form, so that all further code is written once. The values have the
shape of Hazelcast's YAML: a setting is a text, a section of named settings, or a list.

`Notes` holds what a user should know about a usable file.

`Variables` replaces the variables of a configuration, such as `${cluster.name}`, by their values. Hazelcast takes the
values from the properties of its process; here the user gives them. A variable without a value stays in the text, and
its setting counts as not set.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from gridproof_model.user_error import UserError

VARIABLE = re.compile(r"\$\{([^${}]+)\}")
Fill = Callable[[str, int], str]
"""Takes a text of the file and the text's line, and returns the text with each variable replaced by its value."""


def as_it_stands(text: str, line: int) -> str:
    """Return the text unchanged."""
    return text


@dataclass(slots=True)
class Variables:
    """The values of variables, and which variables one file uses."""

    values: Mapping[str, str]
    unfilled: list[tuple[int, str]] = field(default_factory=list)
    """The line and the name of each variable without a value."""
    _used: set[str] = field(default_factory=set)

    @property
    def unused(self) -> list[str]:
        """The names of variables that have a value but are not in the file."""
        return sorted(set(self.values) - self._used)

    def fill(self, text: str, line: int) -> str:
        """Return a text in which each variable that has a value is replaced by that value."""
        if "${" not in text:
            return text
        self._used.update(VARIABLE.findall(text))
        self.unfilled += [(line, name) for name in VARIABLE.findall(text) if name not in self.values]
        return VARIABLE.sub(lambda found: self.values.get(found[1], found[0]), text)


@dataclass(slots=True)
class Notes:
    """Notes which lines of a file are ignored, and which take effect."""

    found: list[tuple[int, str]] = field(default_factory=list)
    """Pairs of a line and a sentence about that line."""
    taken: list[tuple[int, str]] = field(default_factory=list)
    """Pairs of a line and the part of the line that takes effect."""

    def add(self, line: int, sentence: str) -> None:
        """Note something about a line."""
        self.found.append((line, sentence))

    def take(self, line: int, what: str) -> None:
        """Note what part of a line takes effect."""
        self.taken.append((line, what))


DEPTH_MAX = 64
"""More levels than any configuration has; a file with deeper nesting is refused before it exhausts the stack."""
SETTINGS_MAX = 20_000
"""The most settings of one file, including those that it refers to or merges in: far more than any real file has."""
MESSAGE_MAX = 400
"""How many characters of an error are shown: enough for every sentence, but not for a whole file in quotes."""
UNKNOWN_MAX = 200
"""How many unknown names of a section are compared with known names: thousands of such names are not misspellings."""
NEAR = 0.8
"""How similar a word has to be, at least, to a known word to count as a misspelling of it, as `difflib` measures it."""


class ConfigError(UserError, ValueError):
    """A configuration that cannot be used; the message is one line: file and line, what is wrong, and the cure."""


class SettingError(ValueError):
    """What is wrong at one line; the code that knows the file's name turns this error into a ConfigError."""

    def __init__(self, line: int, message: str) -> None:
        one_line = " ".join(message.splitlines())  # a user's text may have several lines, or be very long
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
    """Named settings, in the order in which they were written; a name may occur twice."""

    entries: tuple[tuple[Scalar, "Setting"], ...]
    line: int

    def get(self, name: str) -> "Setting | None":
        """Return the setting with this name, or None if there is none; SettingError if there are two.

        A setting whose text has a variable without a value counts as not set; the file reader has noted it.
        """
        found = [(key, value) for key, value in self.entries if key.text == name and not is_unfilled(value)]
        if len(found) > 1:
            raise SettingError(found[1][0].line, f"{name} is set twice, first in line {found[0][0].line}; remove one")
        return found[0][1] if found else None

    def get_all(self, name: str) -> Iterator["Setting"]:
        """Yield every setting with this name."""
        return (value for key, value in self.entries if key.text == name)

    def check_names(self, known: Collection[str], where: str, *, closed: bool) -> None:
        """Refuse a misspelt name, and in a closed section every name that is not known.

        An open section may have settings that are not read here: an unknown name is refused only if it is similar to a
        known name.
        """
        for key, _ in [entry for entry in self.entries if entry[0].text not in known][:UNKNOWN_MAX]:
            cure = did_you_mean(key.text, known)
            if cure or closed:
                raise SettingError(key.line, f'{where} has no setting "{key.text}"{cure or _choose(known)}')


Setting = Scalar | Section | Items


def check_count(settings: int, line: int) -> None:
    """Raise SettingError if a file has more settings than any real configuration; such a file is read no further."""
    if settings > SETTINGS_MAX:
        raise SettingError(line, f"the file has more than {SETTINGS_MAX:,} settings; write fewer into one file")


def is_unfilled(setting: Setting) -> bool:
    """Whether a setting is a text with a variable that has no value."""
    return isinstance(setting, Scalar) and "${" in setting.text


def text_of(setting: Setting, what: str) -> str:
    """Return the text of a setting; SettingError if it is not a text, or has a variable without a value."""
    if not isinstance(setting, Scalar):
        raise SettingError(setting.line, f"{what} must be a text, not a list or a section")
    if is_unfilled(setting):
        raise SettingError(setting.line, f'{what} is "{setting.text}"; write the value, or fill it with --set')
    return setting.text


def section_of(setting: Setting, what: str) -> Section:
    """Return a setting as a section; an empty text counts as an empty section."""
    if isinstance(setting, Section):
        return setting
    if isinstance(setting, Scalar) and setting.text == "":
        return Section((), setting.line)
    raise SettingError(setting.line, f"{what} must hold settings, each with a name")


def items_of(setting: Setting, what: str) -> Items:
    """Return a setting as a list; an empty text counts as an empty list."""
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
    """Return a setting that is a whole number of at most nine digits; in errors, `of_which` says what is allowed."""
    text = text_of(setting, what)
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise SettingError(setting.line, f'{what} is "{text}"; it must be a whole number {of_which}')
    return int(text)


def each_once(section: Section, what: str) -> Iterator[tuple[Scalar, Setting]]:
    """Yield every entry of a section whose names the user chooses; SettingError if a name occurs twice.

    An entry whose text has a variable without a value is left out, just as `Section.get` treats it as not set.
    """
    first: dict[str, int] = {}
    for key, value in section.entries:
        if is_unfilled(value):
            continue
        if key.text in first:
            raise SettingError(key.line, f'{what} "{key.text}" is set twice, also in line {first[key.text]}; drop one')
        first[key.text] = key.line
        yield key, value


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return the end of a sentence that names the known word most similar to this one; empty if there is none."""
    near = get_close_matches(word, known, n=1, cutoff=NEAR)
    return f"; did you mean {near[0]}?" if near else ""


def _choose(known: Collection[str]) -> str:
    return f"; it has {', '.join(known)}"
