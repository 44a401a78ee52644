"""Every property, in the order in which verdicts are shown.

Properties of tables come first, then of what clients see, of where keys go, and of what members do step by step. Each
property says which records it needs; it is judged wherever these are.
"""

from gridproof_model.renamed import present_name
from gridproof_model.user_error import UserError, nearest
from gridproof_properties.checkers import CHECKERS
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.refinement import REFINEMENTS
from gridproof_properties.simulated import SIMULATED, STEPPED

STEP_JUDGED: tuple[Property, ...] = (*STEPPED, *REFINEMENTS)
"""The properties judged over the steps of the protocol."""
CATALOGUE: tuple[Property, ...] = (*INVARIANTS, *CHECKERS, *SIMULATED, *STEP_JUDGED)
"""All properties; names are unique."""
STEPS_READ = watched_by(STEP_JUDGED)
"""The steps of the protocol that some property reads."""
_BY_NAME = {prop.name: prop for prop in CATALOGUE}
PROPERTY_NAMES = tuple(_BY_NAME)


LISTED = "`gridproof properties` lists them"


class UnknownPropertyError(UserError):
    """Raised if no property has a name; the message lists the nearest names, or says where all names are listed."""


def get_property(name: str) -> Property:
    """Return the property with this name; raise UnknownPropertyError if there is none."""
    found = _BY_NAME.get(present_name(name, _BY_NAME))
    if found is not None:
        return found
    raise UnknownPropertyError(f"no property is called {name!r}: {nearest(name, _BY_NAME, LISTED)}")
