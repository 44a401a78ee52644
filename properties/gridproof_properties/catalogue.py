"""Every property, in the order in which verdicts are shown.

From the table to what clients see, to where keys go, to what members do step by step. Each says which records it needs;
wherever these are, it is judged.
"""

import difflib

from gridproof_model.events import Event
from gridproof_model.renamed import present_name
from gridproof_model.user_error import UserError
from gridproof_properties.checkers import CHECKERS
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement import EVENTS_READ, REFINEMENTS
from gridproof_properties.simulated import SIMULATED, STEPPED, STEPS_WATCHED

STEP_JUDGED: tuple[Property, ...] = (*STEPPED, *REFINEMENTS)
"""Judged over the steps of the protocol."""
CATALOGUE: tuple[Property, ...] = (*INVARIANTS, *CHECKERS, *SIMULATED, *STEP_JUDGED)
"""All properties; names are unique."""
STEPS_READ: frozenset[type[Event]] = EVENTS_READ | STEPS_WATCHED
"""The steps of the protocol that some property reads."""


class UnknownPropertyError(UserError):
    """No property has this name; the message lists the nearest names, or where all of them are listed."""


def get_property(name: str) -> Property:
    """Return the property with this name; UnknownPropertyError when there is none."""
    known = {prop.name: prop for prop in CATALOGUE}
    found = known.get(present_name(name, known))
    if found is not None:
        return found
    near = difflib.get_close_matches(name, known)
    cure = f"did you mean {' or '.join(near)}?" if near else "`gridproof properties` lists them"
    raise UnknownPropertyError(f"no property is called {name!r}: {cure}")
