"""Values: frozen when checked, plain when run.

A frozen dataclass stores each of its fields through `object.__setattr__`, which takes five times as long as an
assignment and was a third of the time of a simulated event. Messages, notes, records and the like are declared frozen,
so that type checkers forbid changing them; at run time they are built by assignments.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any


class Value:
    """Base of frozen, slotted dataclasses of which every event makes some."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Give the finished dataclass a plain `__init__`; `slots=True` makes the class anew, with its fields known."""
        super().__init_subclass__()
        if "__dataclass_fields__" in cls.__dict__:
            _thaw(cls)


def _thaw(cls: type[Any]) -> None:
    for name in ("__setattr__", "__delattr__"):
        if name in cls.__dict__:
            delattr(cls, name)
    told = fields(cls)
    if "__post_init__" not in dir(cls) and all(f.init and f.default_factory is MISSING for f in told):
        cls.__init__ = _plain_init(told)


def _plain_init(told: tuple[Field[Any], ...]) -> Callable[..., None]:
    defaults = {f"default_{f.name}": f.default for f in told if f.default is not MISSING}
    parameters = ["self", *(_parameter(f) for f in told if not f.kw_only)]
    if any(f.kw_only for f in told):
        parameters += ["*", *(_parameter(f) for f in told if f.kw_only)]
    body = "".join(f"\n    self.{f.name} = {f.name}" for f in told) or "\n    pass"
    namespace: dict[str, Any] = dict(defaults)
    exec(f"def __init__({', '.join(parameters)}):{body}", namespace)
    init: Callable[..., None] = namespace["__init__"]
    return init


def _parameter(field: Field[Any]) -> str:
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"
