"""Where an adapter is imported from."""

import sys

from gridproof_implementation.adapter import Adapter


def find_home(adapter: Adapter) -> tuple[str, str] | None:
    """Return the module of an adapter and its name there, None where no module has it by a name.

    The module of what opens it is looked at first: it is where adapters are written.
    """
    own = getattr(adapter.open, "__module__", "")
    for module in dict.fromkeys([own, *sys.modules]):
        for name, found in list(vars(sys.modules[module]).items()) if module in sys.modules else ():
            if found is adapter and name.isidentifier():
                return module, name
    return None
