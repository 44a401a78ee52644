"""All parameters that a user can set by name.

`gridproof simulate`, `replay` and `campaign` take the same names; the value of a parameter is a text, which is read
here."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from gridproof_implementation.placement.names import PLACEMENT_NAMES
from gridproof_implementation.simulator.cell import MILLION, REPAIR, Cell, renewals
from gridproof_implementation.simulator.distributions import (
    Distribution,
    read_distribution,
    read_latency,
    read_popularity,
)
from gridproof_implementation.simulator.draw_options import NOT_DRAWN, DrawOptions
from gridproof_implementation.simulator.durations import DistributionError, read_duration_us
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import CLIENTS_MAX, WEEK_MS
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD, TOGETHER, WORKLOADS, find_workload
from gridproof_model import grid_properties as known
from gridproof_model.grid_properties import GRID_PROPERTIES, AnyProperty, PropertyError
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.user_error import UserError, listed, nearest

MEMBERS_MAX, PARTITIONS_MAX, KEYS_MAX = 50, 1_000, 100_000
OPERATIONS_MAX = 100_000
CRASHES_MAX = 1_000
"""The largest number of crashes of one member in one run."""
NONE = "none"
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,12})?)( ?%)?", re.ASCII)
SPAN_MS = 600_000
"""The length of the run for which the number of crashes is checked, if the user sets no length."""


class ParameterError(UserError, ValueError):
    """A parameter is unknown, or cannot have the given value; the message is one line."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a user can set."""

    name: str
    sentence: str
    """What the parameter means, with its unit and its usual value in a plain grid."""
    example: str
    put: Callable[[DrawOptions, str], DrawOptions]
    """A function that returns options in which the parameter is set to a text, or raises a user error if the parameter
    cannot have this value."""
    is_rate: bool = False
    """Whether the parameter's value is a time between events, which may be given as a rate."""
    option: str = ""
    """The option that also sets the parameter, as `--members 3` is `--set members=3`; empty if there is none."""
    metavar: str = ""
    """The word that stands for the value in the help text of that option."""
    words: tuple[str, ...] = ()
    """All values of the parameter, if these are a few names."""


def _cell(**changes: object) -> Callable[[DrawOptions], DrawOptions]:
    return lambda draw_options: replace(draw_options, cell=replace(draw_options.cell, **changes))  # type: ignore[arg-type]


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if _WHOLE.fullmatch(text) is None or not low <= int(text) <= high:
            raise ParameterError(f"write a whole number from {low:,} to {high:,}, not {text[:60]!r}")
        return int(text)

    return read


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ParameterError(f"{text[:60]!r} is neither on nor off; write on or off")
    return text == "on"


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ParameterError(f"write {' or '.join(words)}, not {text[:60]!r}")
        return text

    return read


def _share(text: str) -> float:
    found = _SHARE.fullmatch(text)
    value = float(found[1]) / (100 if found[2] else 1) if found is not None else 1.0
    if not value < 1:
        raise ParameterError(f"{text[:60]!r} is no share from 0 to below 1; write, for example, 0.01 or 1%")
    if value and not 0 < round(value * MILLION) < MILLION:  # a fault event has a whole number of parts per million
        raise ParameterError(f"{text[:60]!r} is neither 0 nor from 1 to 999,999 in a million; write such a share")
    return value


def _distribution(text: str) -> Distribution | None:
    return None if text == NONE else read_distribution(text)


def _gap(text: str) -> Distribution | None:
    """Return the distribution of the time between events; its median must be at least 1 us, or a run would not end."""
    distribution = _distribution(text)
    if distribution is not None and distribution.at(0.5) < 1:
        short = "half or more of the times between events would be below 1 µs"
        raise ParameterError(f"{text[:60]!r}: {short}; write longer times")
    return distribution


def _duration_ms(text: str) -> int:
    value_ms = read_duration_us(text) / 1_000
    if not 1 <= value_ms <= WEEK_MS or not value_ms.is_integer():
        raise ParameterError("write a duration of whole milliseconds, a week at most, such as 500ms or 10s")
    return int(value_ms)


def _faults(text: str) -> tuple[str, ...]:
    names = () if text == NONE else listed(text, ParameterError)
    for name in names:
        if name not in FAULTS_BY_NAME:
            raise ParameterError(f"no fault is called {name!r}: {nearest(name, FAULTS_BY_NAME)}")
    return names


def _workload(text: str) -> str:
    if find_workload(text) is not None:
        return text
    single = [workload.name for workload in (WORKLOADS if TOGETHER in text else EVERY_WORKLOAD)]
    names = text.split(TOGETHER)
    for name in names:
        if name not in single:
            raise ParameterError(f"no workload is called {name!r}: {nearest(name, single)}")
    twice = next(name for name in names if names.count(name) > 1)
    raise ParameterError(f"the workload {twice!r} is named twice; name it once")


def _property(prop: AnyProperty, text: str, *, unit_ms: int = 0) -> Callable[[DrawOptions], DrawOptions]:
    """Return a function that sets a property of the configuration; if it has a unit, the text is a duration."""
    if unit_ms:
        value_ms = _duration_ms(text)
        if value_ms % unit_ms:
            raise ParameterError(f"write a duration of whole {'seconds' if unit_ms == 1_000 else 'milliseconds'}")
        text = str(value_ms // unit_ms)
    try:
        prop.read(text)
    except PropertyError as error:
        raise ParameterError(str(error)) from None

    def put(draw_options: DrawOptions) -> DrawOptions:
        others = tuple(pair for pair in draw_options.cell.properties if pair[0] != prop.name)
        return replace(draw_options, cell=replace(draw_options.cell, properties=(*others, (prop.name, text.strip()))))

    return put


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "grid", "plain: what is not set has its usual value; drawn: the seed draws it", "plain",
        lambda w, t: _cell(plain=_one_of("plain", "drawn")(t) == "plain")(w),
    ),
    Parameter(
        "members", "members to start with (3)", "5", lambda w, t: replace(w, members=_whole(1, MEMBERS_MAX)(t)),
        option="members", metavar="M",
    ),
    Parameter(
        "sync-backups", "sync backups of every structure (1)", "2",
        lambda w, t: replace(w, sync_backups=_whole(0, MAX_BACKUP_COUNT)(t)), option="backups", metavar="B",
    ),
    Parameter(
        "async-backups", "async backups of every structure (0)", "1",
        lambda w, t: _cell(async_backups=_whole(0, MAX_BACKUP_COUNT)(t))(w),
    ),
    Parameter(
        "backup-acks", "async: callers wait for no backup, sync backups are kept as async ones (sync)", "async",
        lambda w, t: _cell(acks_async=_one_of("sync", "async")(t) == "async")(w),
    ),
    Parameter(
        "partitions", "partitions (7)", "11", lambda w, t: _cell(partitions=_whole(1, PARTITIONS_MAX)(t))(w)
    ),
    Parameter(
        "groups", "partition groups that members are spread over; 0: each is one by itself (0)", "2",
        lambda w, t: _cell(groups=_whole(0, MEMBERS_MAX)(t))(w),
    ),
    Parameter(
        "placement", "the policy by which partitions are placed (hazelcast)", "optimal",
        lambda w, t: _cell(placement=_one_of(*PLACEMENT_NAMES)(t))(w),
    ),
    Parameter(
        "anti-entropy", "time between two rounds of anti-entropy, in whole seconds (30s)", "10s",
        lambda w, t: _property(known.BACKUP_SYNC_INTERVAL, t, unit_ms=1_000)(w),
    ),
    Parameter(
        "backup-timeout", "how long a caller waits for sync backups (5s)", "1s",
        lambda w, t: _property(known.OPERATION_BACKUP_TIMEOUT, t, unit_ms=1)(w),
    ),
    Parameter(
        "call-timeout", "how long a call is tried (120s)", "10s",
        lambda w, t: _property(known.OPERATION_CALL_TIMEOUT, t, unit_ms=1)(w),
    ),
    Parameter(
        "strict", "whether a call fails whose state is indeterminate (off)", "on",
        lambda w, t: _property(known.FAIL_ON_INDETERMINATE_STATE, str(_switch(t)).lower())(w),
    ),
    Parameter(
        "stale-reads", "whether reads are served while a partition migrates (on)", "off",
        lambda w, t: _property(known.STALE_READ_DISABLED, str(not _switch(t)).lower())(w),
    ),
    Parameter(
        "periods", "quick: heartbeats, rounds and timeouts are short, as in most drawn grids (default)", "quick",
        lambda w, t: _cell(quick=_one_of("default", "quick")(t) == "quick")(w),
    ),
    Parameter(
        "workload", f"what clients do, several with {TOGETHER} between them (register)", "appends",
        lambda w, t: replace(w, workload=_workload(t)), option="workload", metavar="NAME",
        words=tuple(workload.name for workload in EVERY_WORKLOAD),
    ),
    Parameter(
        "operations", "how many operations, where no time is set (120)", "500",
        lambda w, t: replace(w, client_operations=_whole(1, OPERATIONS_MAX)(t)),
    ),
    Parameter(
        "clients", "clients that wait for their answers (4)", "8",
        lambda w, t: _cell(clients=_whole(1, CLIENTS_MAX)(t))(w),
    ),
    Parameter(
        "pause", "longest pause of a client between two operations (20ms)", "100ms",
        lambda w, t: _cell(pause_ms=0 if t == "0ms" else _duration_ms(t))(w),
    ),
    Parameter(
        "arrival", "open loop: time between operations, none for clients that wait (none)", "200/s",
        lambda w, t: _cell(arrival=_gap(t))(w), is_rate=True,
    ),
    Parameter(
        "time", "how long operations arrive; needs an arrival", "60s",
        lambda w, t: _cell(time_ms=_duration_ms(t))(w),
    ),
    Parameter(
        "keys", "keys of a structure, of all workloads but entries and safety (as the workload draws)", "1000",
        lambda w, t: _cell(keys=_whole(1, KEYS_MAX)(t))(w),
    ),
    Parameter(
        "popularity", "how much more often some keys are asked for: uniform, zipf(EXPONENT) (as the workload draws)",
        "zipf(1.1)", lambda w, t: _cell(popularity=read_popularity(t))(w),
    ),
    Parameter(
        "reads-from-backups", "whether a member answers reads of maps from its own backup (off)", "on",
        lambda w, t: _cell(reads_backups=_switch(t))(w),
    ),
    Parameter(
        "latency", "how long a message takes one way (uniform(100us,500us))", "lognormal(2ms,0.5)",
        lambda w, t: _cell(latency=read_latency(t))(w),
    ),
    Parameter(
        "lag", "by how much updates of backups take longer, while clients are at work (none)", "exponential(20ms)",
        lambda w, t: _cell(lag=_distribution(t))(w),
    ),
    Parameter(
        "loss", "share of all messages that get lost, while clients are at work (0)", "0.1%",
        lambda w, t: _cell(loss=_share(t))(w),
    ),
    Parameter(
        "crash", "how long a member lives, while clients are at work; none: for ever (none)", "1/30s",
        lambda w, t: _cell(crash=_gap(t))(w), is_rate=True,
    ),
    Parameter(
        "repair", "how long a member that crashed is away (exponential(10s))", "1/5s",
        lambda w, t: _cell(repair=read_distribution(t))(w), is_rate=True,
    ),
    Parameter(
        "faults", "kinds of faults that seeds draw from; none: only those that are set (none)", "split,pause",
        lambda w, t: replace(w, faults=_faults(t)), option="faults", metavar="NAME,...",
        words=(NONE, *FAULTS_BY_NAME),
    ),
)  # fmt: skip
"""All parameters, in the order of the documentation; every property of the configuration can be set by its name,
too."""
PARAMETERS_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
RATES = tuple(parameter.name for parameter in PARAMETERS if parameter.is_rate)
PLAIN = (("grid", "plain"),)
"""The settings that every campaign has, unless it sets others."""


def set_parameters(draw_options: DrawOptions, texts: Iterable[tuple[str, str]]) -> DrawOptions:
    """Return options with these parameters set; if one cannot be set, a ParameterError names it and says why."""
    named = list(texts)
    for name, text in named:
        draw_options = put_parameter(draw_options, name, text)
    return check_together(draw_options)


def put_parameter(draw_options: DrawOptions, name: str, text: str, *, option: str = "") -> DrawOptions:
    """Return options with one parameter set, not yet checked against other parameters; errors name `option` if
    given."""
    try:
        if name in PARAMETERS_BY_NAME:
            return PARAMETERS_BY_NAME[name].put(draw_options, text.strip())
        if name in GRID_PROPERTIES and name not in NOT_DRAWN:
            return _property(GRID_PROPERTIES[name], text)(draw_options)
    except (ParameterError, DistributionError) as error:
        shown = text if len(text) <= 60 else text[:60] + "…"
        raise ParameterError(f"--{option} {shown}: {error}" if option else f"{name}={shown}: {error}") from None
    if name in NOT_DRAWN:
        instead = "partitions" if name == known.PARTITION_COUNT.name else "groups"
        raise ParameterError(f"{name} cannot be set by its own name; set {instead} instead")
    raise ParameterError(f"no parameter is called {name[:60]!r}: {nearest(name, PARAMETERS_BY_NAME)}")


def check_together(draw_options: DrawOptions) -> DrawOptions:
    """Return the options if their parameters can be combined; otherwise raise ParameterError."""
    cell = draw_options.cell
    total = (draw_options.sync_backups or 0) + (cell.async_backups or 0)
    if total > MAX_BACKUP_COUNT:
        raise ParameterError(f"{total} backups: a partition has at most {MAX_BACKUP_COUNT}, sync and async together")
    if cell.time_ms is not None and cell.arrival is None:
        raise ParameterError("time needs arrival; set, for example, arrival=100/s, or set operations instead of time")
    if len(list(islice(cell.arrivals_ms(0, 0), OPERATIONS_MAX + 1))) > OPERATIONS_MAX and cell.time_ms is not None:
        raise ParameterError(f"over {OPERATIONS_MAX:,} operations would arrive; set a lower arrival or a shorter time")
    if cell.crash is not None:
        crashes = renewals(cell.crash, cell.repair or REPAIR, 0, 0, 0, cell.time_ms or SPAN_MS)
        if len(list(islice(crashes, CRASHES_MAX + 1))) > CRASHES_MAX:
            raise ParameterError(f"a member would crash more than {CRASHES_MAX:,} times; set a lower crash rate")
    return draw_options


__all__ = ["PARAMETERS", "PLAIN", "RATES", "Cell", "Parameter", "ParameterError", "put_parameter", "set_parameters"]
