"""Own partition group strategies, for configurations that name one."""

from collections.abc import Sequence

from gridproof_model.membership import Member

NOT_CALLABLE = 3


def by_port(members: Sequence[Member]) -> list[list[Member]]:
    """Group members by the last digit of their port."""
    return [[m for m in members if m.id.address.port % 10 == digit] for digit in range(10)]


class Racks:
    """A place for a strategy that is no plain function."""

    by_port = staticmethod(by_port)
