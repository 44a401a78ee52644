"""Digests of everything that can be observed in a run."""

from collections.abc import Sequence
from hashlib import sha256

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import OperationRecord, Record
from gridproof_properties.catalogue import STEPS_READ
from suite.reach.playing import nobody, varied


class Onlooker:
    """Observes messages, records and answers, each kind in its order."""

    def __init__(self) -> None:
        self._sent = sha256()
        self._recorded = sha256()
        self._answered = sha256()

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Observe that a message is sent."""
        self._sent.update(repr((sent_us, sender, receiver, message)).encode())

    def record(self, at_us: int, record: Record) -> None:
        """Observe a record."""
        text = repr(record).encode()
        self._recorded.update(text)
        if isinstance(record, OperationRecord):
            self._answered.update(text)

    def digests(self) -> tuple[str, str, str]:
        """Return the digests of all messages, all records, and all answers to clients."""
        return self._sent.hexdigest(), self._recorded.hexdigest(), self._answered.hexdigest()


def records(seed: int, faults: Sequence[str]) -> str:
    """Simulate the scenario that a seed draws, and return the digest of all records that judges would read."""
    read = sha256()
    scenario = draw_scenario(seed, varied(faults))
    simulate(scenario, lambda record: read.update(repr(record).encode()), recorded=STEPS_READ)
    return read.hexdigest()


def look(seed: int, faults: Sequence[str]) -> tuple[str, str, str]:
    """Simulate the scenario that a seed draws, varied or with some kinds of faults, and return the run's digests."""
    onlooker = Onlooker()
    simulate(draw_scenario(seed, varied(faults)), nobody, onlooker=onlooker)
    return onlooker.digests()
