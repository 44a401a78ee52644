"""Finds a specification by its name: one of gridproof's own, or one of a user's.

`replication` is gridproof's own specification. `my_module.py:specification` is read from a file, and
`package.module:specification` is imported; the name of the specification may be left out if its module has only one. An
argument may be named in place of a specification. To name a module is to run it, as an import does.
"""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from gridproof_model.language import Specification, SpecificationError
from gridproof_model.own_modules import absolute, folder_kept, is_taken, make_importable
from gridproof_model.renamed import present_name
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.user_error import UserError, message_of, nearest
from gridproof_model.whole_file import Notice, notify
from gridproof_properties.proofs.argument import Argument

T = TypeVar("T")
HOW = "name your own as my_module.py:specification or package.module:specification"


class NamingError(UserError, ValueError):
    """Raised for a name that stands for no specification; the error's message is one line."""


@dataclass(frozen=True, slots=True)
class Named:
    """The specification and the arguments for which a name stands."""

    reference: str
    """The name as it was typed."""
    specification: Specification
    arguments: tuple[Argument, ...]
    """The arguments about the specification in the named module; none if the specification is gridproof's own, since
    its arguments are elsewhere."""

    @property
    def is_ours(self) -> bool:
        """Whether the specification is one of gridproof's own."""
        return any(one is self.specification for one in SPECIFICATIONS)


def find_named(reference: str, folders: Sequence[Path] = (Path(),)) -> Named:
    """Return what a name stands for; its file is searched for in these folders in turn; raise NamingError if there is
    none."""
    names = [one.name for one in SPECIFICATIONS]
    present = present_name(reference, names)
    ours = next((one for one in SPECIFICATIONS if one.name == present), None)
    if ours is not None:
        return Named(reference, ours, ())
    place, _, name = reference.rpartition(":")
    if not place and not name.endswith(".py"):
        raise NamingError(f"no specification is called {reference!r}: {nearest(reference, names)}; {HOW}")
    place, name = (place, name) if place else (name, "")
    module = _from_file(place, folders) if place.endswith(".py") else _imported(place)
    return _in_module(reference, module, name)


def find_own(reference: str, kind: type[T], what: str, folders: Sequence[Path] = (Path(),)) -> T:
    """Return an object of the given kind from a user's module; raise NamingError if there is none."""
    place, _, name = reference.rpartition(":")
    if not place and not name.endswith(".py"):
        raise NamingError(f"{reference!r} names no {what}: write my_module.py:NAME or package.module:NAME")
    place, name = (place, name) if place else (name, "")
    module = _from_file(place, folders) if place.endswith(".py") else _imported(place)
    every = {key: value for key, value in vars(module).items() if isinstance(value, kind) and not key.startswith("__")}
    found = every.get(name) if name else next(iter(every.values()), None)
    if found is None or (not name and len({id(value) for value in every.values()}) > 1):
        raise NamingError(f"{reference} names no {what}: {_file_of(module)} has {', '.join(every) or 'none'}")
    return found


def _in_module(reference: str, module: ModuleType, name: str) -> Named:
    every = {key: value for key, value in vars(module).items() if isinstance(value, Specification | Argument)}
    specifications = {key: value for key, value in every.items() if isinstance(value, Specification)}
    if not name:
        if len({id(value) for value in specifications.values()}) != 1:
            raise NamingError(f"{reference} has {_listed(specifications)}: name one, as {reference}:NAME")
        name = next(iter(specifications))
    found = every.get(name)
    if found is None:
        what = "no object" if not hasattr(module, name) else "no specification"
        raise NamingError(f"{reference} names {what}: {_file_of(module)} has {_listed(every)}")
    if isinstance(found, Argument):
        return Named(reference, found.specification, (found,))
    arguments = {id(one): one for one in every.values() if isinstance(one, Argument) and one.specification is found}
    return Named(reference, found, tuple(arguments.values()))


def _from_file(place: str, folders: Sequence[Path]) -> ModuleType:
    """Return the module in a file, run once; it can import the modules beside it, as if Python had been started in that
    folder."""
    path = next((folder / place for folder in folders if (folder / place).is_file()), None)
    if path is None:
        raise NamingError(f"there is no file {place}; {HOW}")
    path = path.resolve()
    names = path.stem, f"gridproof_named_{path.stem}"
    loaded = [sys.modules[name] for name in names if name in sys.modules]
    known = next((module for module in loaded if _file_of(module) == str(path)), None)
    if known is not None:
        return known
    # If the plain name is taken, a longer name is used: a later import of the plain name has to find the other module.
    name = names[0] if not loaded and not is_taken(path) else names[1]
    form = importlib.util.spec_from_file_location(name, path)
    if form is None or form.loader is None:
        raise NamingError(f"{place} is no Python file; name a specification as my_module.py:NAME")
    module = importlib.util.module_from_spec(form)
    sys.modules[name] = module
    try:
        make_importable(path.parent)
        with _reported_in_one_line(place):
            form.loader.exec_module(module)
    except NamingError:
        del sys.modules[name]
        raise
    return module


def _imported(place: str) -> ModuleType:
    make_importable(absolute(Path()))
    with _reported_in_one_line(place):
        return importlib.import_module(place)


@contextmanager
def _reported_in_one_line(place: str) -> Iterator[None]:
    """Report an error of a user's module, while it runs, in one line with the module's line at which it occurred."""
    notify(Notice.OWN, place)
    try:
        with folder_kept():
            yield
    except SpecificationError as error:
        raise NamingError(str(error)) from None
    except SyntaxError as error:
        at = place if error.filename is None else f"{error.filename}:{error.lineno}"
        raise NamingError(f"{at}: {error.msg}") from None
    except ModuleNotFoundError as error:
        raise NamingError(f"{place}: there is no module {error.name!r}; {HOW}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, and the user's own exceptions
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
        at = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else place
        said = f"{type(error).__name__}: {message_of(error)}"
        raise NamingError(f"{at}: the module raised {said}; correct the module") from None


def _is_machinery(filename: str) -> bool:
    """Return whether a line belongs to Python's own modules or to gridproof, and not to the module's author."""
    model = Path(_file_of(importlib.import_module("gridproof_model"))).parent
    folders = (model, Path(__file__).parent, Path(traceback.__file__).parent)
    return any(map(Path(filename).is_relative_to, folders)) or filename.startswith("<frozen")


def _file_of(module: ModuleType) -> str:
    return str(Path(module.__file__).resolve()) if module.__file__ is not None else module.__name__


def _listed(found: dict[str, Specification | Argument] | dict[str, Specification]) -> str:
    return ", ".join(found) if found else "none"
