"""Why no order explains a history, in sentences."""

from collections.abc import Hashable

from gridproof_properties.linearizability.check import Linearization
from gridproof_properties.linearizability.history import TimedOperation
from gridproof_properties.linearizability.models.entry import Add, IsThere, PutIfAbsent
from gridproof_properties.linearizability.models.lock import EndMember, GiveBack, IsTaken, Take, Taken
from gridproof_properties.linearizability.models.queue import Known, Offer, Peek, Poll
from gridproof_properties.linearizability.models.register import CompareAndSet, Held, Read, Write
from gridproof_properties.linearizability.models.set import Discard, Insert, ReadSet
from gridproof_properties.linearizability.models.text import AppendText, GetText
from gridproof_properties.linearizability.sequential import UNSEEN

OPEN_SHOWN = 5
STATES_SHOWN = 5
TEXT_SHOWN = 60
"""Characters of a long list that are shown: its end, for that is what changes."""


def explain(found: Linearization) -> tuple[str, ...]:
    """Return the story of what is broken."""
    if found.contradiction is not None:
        sentences = [describe(one) for one in found.contradiction.operations]
        return (*(f"on {found.key}: {one}" for one in sentences), f"no order explains this: {found.contradiction.why}")
    assert found.unexplained is not None, "what is broken got stuck at an operation"
    states = [describe_state(state) for state in found.states[:STATES_SHOWN]]
    beyond = len(found.states) - len(states)
    states += [f"{beyond:,} other things"] if beyond else []
    could = f"whatever the order, {found.key} could hold {' or '.join(states) or 'nothing that fits'} by then"
    others = sorted(found.open_then, key=lambda op: op.start)[:OPEN_SHOWN]
    return (
        could,
        *(f"at the same time: {describe(op)}" for op in others),
        f"no order explains: {describe(found.unexplained)}",
    )


def describe(op: TimedOperation) -> str:
    """Return an operation and when it was, as a noun."""
    span = f"{op.start:,} to {op.end:,} ms" if op.end is not None else f"from {op.start:,} ms, outcome unknown"
    return f"{_name(op)}, {span}"


def _name(op: TimedOperation) -> str:
    gave = "" if op.end is None or op.result is UNSEEN else f" that gave {_say(op.result)}"
    match op.operation:
        case Write(value=value):
            return f"a write of {_say(value)}" if value is not None else "a removal"
        case Read() | GetText():
            return f"a read of {_say(op.result)}"
        case Add():
            return f"an addition{gave}"
        case PutIfAbsent(value=value):
            return (
                f"a write of {value} if absent, that found {_say(op.result)}"
                if op.end is not None
                else f"a write of {value} if absent"
            )
        case CompareAndSet(expected=expected, value=None):
            return f"a removal if it holds {expected}{gave}"
        case CompareAndSet(expected=expected, value=value):
            return f"a write of {value} if it holds {expected}{gave}"
        case IsThere():
            return f"a question whether it is there{gave}"
        case Insert(item=item):
            return f"an insertion of {item}{gave}"
        case Discard(item=item):
            return f"a discard of {item}{gave}"
        case ReadSet():
            return f"a read of {describe_state(op.result)}"
        case AppendText(text=text):
            return f"an append of {text.strip()}"
        case Offer(item=item):
            return f"an offer of {item}"
        case Poll():
            return f"a poll{gave}"
        case Peek():
            return f"a look at the first item{gave}"
        case Take(owner=owner):
            return f"an attempt of client {owner.client} to take the lock{gave}"
        case GiveBack(owner=owner):
            return f"client {owner.client} giving the lock back{gave}"
        case IsTaken():
            return f"a question whether it is locked{gave}"
        case EndMember(member=member):
            return f"the release of what clients of member {member} had locked"
        case _:
            return f"{op.operation}{gave}"


def describe_state(state: Hashable) -> str:
    """Return what a key may hold."""
    match state:
        case Held(value=value):
            return _say(value)
        case Taken(owner=None):
            return "no owner"
        case Taken(owner=owner, times=times) if owner is not None:
            return f"client {owner.client} as its owner, {times} times"
        case frozenset():
            return _shorten(" ".join(sorted(map(str, state)))) or "no item"
        case Known(items=items) | tuple(items):
            return _shorten(" ".join(map(str, items))) or "no item"
        case _:
            return _shorten(str(state).strip()) or "nothing"


def _say(value: object) -> str:
    match value:
        case None:
            return "no entry"
        case True | False:
            return str(value).lower()
        case _:
            return _shorten(str(value))


def _shorten(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"… {text[-TEXT_SHOWN:]}"
