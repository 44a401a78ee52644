"""Every property, in the order in which verdicts are shown.

Properties of tables come first, then those of what clients see, of where keys go, and of the steps of members. Each
property says which records it needs; it is judged in every run that has them.
"""

from gridproof_model.renamed import present_name
from gridproof_model.user_error import UserError, nearest
from gridproof_properties.checkers import CHECKERS
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.refinement import REFINEMENTS
from gridproof_properties.simulated import SIMULATED, STEPPED

STEP_JUDGED: tuple[Property, ...] = (*STEPPED, *REFINEMENTS)
"""The properties that are judged from the steps of the protocol."""
CATALOGUE: tuple[Property, ...] = (*INVARIANTS, *CHECKERS, *SIMULATED, *STEP_JUDGED)
"""All properties; each has a different name."""
STEPS_READ = watched_by(STEP_JUDGED)
"""The steps of the protocol that at least one property reads."""
_BY_NAME = {prop.name: prop for prop in CATALOGUE}
PROPERTY_NAMES = tuple(_BY_NAME)


LISTED = "`gridproof properties` lists them"


class UnknownPropertyError(UserError):
    """Raised if no property has a given name; the message lists the most similar names, or says where all are."""


def get_property(name: str) -> Property:
    """Return the property with this name; raise UnknownPropertyError if there is none."""
    found = _BY_NAME.get(present_name(name, _BY_NAME))
    if found is not None:
        return found
    raise UnknownPropertyError(f"no property is called {name!r}: {nearest(name, _BY_NAME, LISTED)}")
