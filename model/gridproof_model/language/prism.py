"""Writes a world with rates as a model that PRISM accepts.

With a model in PRISM's language another tool can give a second opinion: PRISM and Storm read this language, and must
compute the same numbers. The model has one variable for each cell and, for each choice of an action's parameters, one
command with the action's rate; an expression that is used several times is a formula. Labels are claims and conditions;
rewards count time and the events of each action. PRISM's continuous-time models have no actions that happen at once, so
a world with such actions cannot be written. If there are several initial states, PRISM gives them no probabilities, but
answers for each of them separately.

Source: Kwiatkowska, Norman and Parker, "PRISM 4.0" (2011); the PRISM manual, "The PRISM Language".
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from gridproof_model.language.cells import encode
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.rates import Immediate, Rate, RateError, Timed, refuse_other_than_plain
from gridproof_model.language.scalars import Instance, LoweredWorld, Op, Scalar, in_order

_WORDS = (
    "A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables endrewards endsystem false "
    "formula filter func F global G init invariant I int label max mdp min module X nondeterministic observable "
    "observables of Pmax Pmin P pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S stochastic system true U "
    "W floor ceil round mod pow log multi T deadlock time"
)
_RESERVED = frozenset(_WORDS.split())
"""Reserved words of PRISM's models and properties, names of functions and of its own labels, and of time."""
_SYMBOLS = {
    Op.AND: "&",
    Op.OR: "|",
    Op.EQUAL: "=",
    Op.LESS: "<",
    Op.AT_MOST: "<=",
    Op.ADD: "+",
    Op.SUBTRACT: "-",
    Op.MULTIPLY: "*",
}


def prism_files(world: LoweredWorld, rates: Mapping[str, Rate]) -> dict[str, str]:
    """Return the texts of `<name>.prism` and `<name>.props` by name; RateError if an action happens at once."""
    refuse_other_than_plain(rates, "the export to PRISM")
    at_once = [name for name, rate in rates.items() if isinstance(rate, Immediate)]
    if at_once:
        raise RateError(
            f"{at_once[0]} happens at once, but in continuous-time models of PRISM each action needs a rate: "
            f"give {at_once[0]} a rate"
        )
    endless = next((cell for cell in world.cells if cell.low is None or cell.high is None), None)
    if endless is not None:
        raise SpecificationError(f"{endless.name} has no bounds: write two bounds, as in Int(0, 3)", endless.at)
    writer = _Writer(world, rates)
    name = world.world.name
    return {f"{name}.prism": "\n".join(writer.model()) + "\n", f"{name}.props": "\n".join(writer.properties()) + "\n"}


class _Writer:
    """Writes one world, and never uses the same name for two things."""

    def __init__(self, world: LoweredWorld, rates: Mapping[str, Rate]) -> None:
        self.world = world
        self.per_second = {name: rate.per_second for name, rate in rates.items() if isinstance(rate, Timed)}
        self.taken: set[str] = set(_RESERVED)
        self.cells = [self._free(cell.name) for cell in world.cells]
        self.actions = {action.name: self._free(action.name) for action in world.world.actions}
        self.constants = {name: self._free(f"rate_{name}") for name in self.actions}
        self.labels = {self._free(claim.claim.name): claim.condition for claim in world.claims}
        self.instances = [one for one in world.possible_instances if self.per_second[one.event.action] > 0]
        self.formulas = {part: self._free(f"f{number}") for number, part in enumerate(self._shared())}

    def model(self) -> Iterator[str]:
        """Yield the lines of the model."""
        world = self.world.world
        yield f"// {world.title}\n// rates per second\nctmc\n"
        for name, constant in self.constants.items():
            if any(one.event.action == name for one in self.instances):
                yield f"const double {constant} = {self.per_second[name]!r};"
        yield ""
        for part, name in self.formulas.items():
            yield f"formula {name} = {self._expanded(part)};"
        yield f"\nmodule {self._free(world.name)}"
        yield from self._variables()
        yield ""
        yield from map(self._command, self.instances)
        yield "endmodule\n"
        if len(list(world.initial_states())) > 1:
            yield f"init {self._text(self.world.initial)} endinit\n"
        for name, condition in self.labels.items():
            yield f'label "{name}" = {self._text(condition)};'
        yield '\nrewards "time"\n  true : 1;\nendrewards'
        for name in self._rewarded():
            yield f'\nrewards "{name}"\n  [{name}] true : 1;\nendrewards'

    def properties(self) -> Iterator[str]:
        """Yield the lines of the properties file: the questions that `gridproof measure` also answers."""
        yield "// T is in seconds\nconst double T;\n"
        for name in self.labels:
            yield f'P=? [ F<=T "{name}" ]\nP=? [ F "{name}" ]\nR{{"time"}}=? [ F "{name}" ]\nS=? [ "{name}" ]\n'
        for name in self._rewarded():
            yield f'R{{"{name}"}}=? [ C<=T ]\nR{{"{name}"}}=? [ S ]\n'

    def _rewarded(self) -> dict[str, None]:
        return dict.fromkeys(self.actions[one.event.action] for one in self.instances)

    def _variables(self) -> Iterator[str]:
        starts = [encode(self.world.world, state) for state in self.world.world.initial_states()]
        for cell, name, value in zip(self.world.cells, self.cells, starts[0], strict=True):
            domain = "bool" if cell.is_truth else f"[{cell.low}..{cell.high}]"
            start = str(bool(value)).lower() if cell.is_truth else str(value)
            yield f"  {name} : {domain}{'' if len(starts) > 1 else f' init {start}'};  // {cell.name}"

    def _command(self, instance: Instance) -> str:
        action = instance.event.action
        guards = [self._text(guard) for guard in instance.guards if not guard.is_true]
        updates = [f"({self.cells[cell]}'={self._text(value)})" for cell, value in instance.updates]
        guard, update = " & ".join(guards) or "true", " & ".join(updates) or "true"
        return f"  [{self.actions[action]}] {guard} -> {self.constants[action]} : {update};"

    def _roots(self) -> Iterator[Scalar]:
        for instance in self.instances:
            yield from instance.guards
            yield from (value for _, value in instance.updates)
        yield from self.labels.values()

    def _shared(self) -> list[Scalar]:
        """Return the expressions that are used in several places; each of them comes after its own parts."""
        every = list(in_order(list(self._roots())))
        uses = Counter(operand for part in every for operand in part.operands)
        uses.update(self._roots())
        return [part for part in every if part.operands and uses[part] > 1]

    def _text(self, scalar: Scalar) -> str:
        return self.formulas[scalar] if scalar in self.formulas else self._expanded(scalar)

    def _expanded(self, scalar: Scalar) -> str:
        parts = [self._text(operand) for operand in scalar.operands]
        match scalar.op:
            case Op.CONSTANT:
                return str(bool(scalar.value)).lower() if scalar.is_truth else _number(scalar.value)
            case Op.CELL:
                return self.cells[scalar.value]
            case Op.NOT:
                return f"!{parts[0]}" if parts[0].isidentifier() else f"!({parts[0]})"
            case Op.IF:
                return f"({parts[0]} ? {parts[1]} : {parts[2]})"
            case Op.DIVIDE:
                return f"floor({parts[0]} / {parts[1]})"
            case Op.REMAINDER:
                return f"mod({parts[0]}, {parts[1]})"
            case _:
                return f"({parts[0]} {_SYMBOLS[scalar.op]} {parts[1]})"

    def _free(self, name: str) -> str:
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        plain = plain if plain and not plain[0].isdigit() else f"_{plain}"
        while plain in self.taken:
            plain += "_"
        self.taken.add(plain)
        return plain


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"
