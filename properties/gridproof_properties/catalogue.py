"""Every property, in the order in which verdicts are shown.

From the table to what clients see to where keys go. Whoever wants fewer takes those whose name it promises.
"""

from gridproof_properties.checkers import CHECKERS
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judge import Property

CATALOGUE: tuple[Property, ...] = (*INVARIANTS, *CHECKERS)
"""All properties; names are unique."""


class UnknownPropertyError(ValueError):
    """No property has this name; the message lists the names there are."""


def get_property(name: str) -> Property:
    """Return the property with this name; UnknownPropertyError when there is none."""
    for prop in CATALOGUE:
        if prop.name == name:
            return prop
    names = ", ".join(prop.name for prop in CATALOGUE)
    raise UnknownPropertyError(f"no property is named {name!r}; there are {names}")
