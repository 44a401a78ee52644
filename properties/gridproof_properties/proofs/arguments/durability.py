"""Why the claims of durability are true.

Each step preserves every always-claim by itself, so no lemma is needed.
"""

from gridproof_model.language import ANY_NUMBER, Plain
from gridproof_model.specifications.durability import specification
from gridproof_properties.proofs.argument import Argument

WORLDS: tuple[dict[str, Plain], ...] = (
    {"members": 2, "async_backups": 0},
    {"members": 3, "async_backups": 0},
    {},
    {"members": 4, "sync_backups": 2},
    {"members": 5, "async_backups": 2},
)

ANY_SIZE: dict[str, Plain] = dict.fromkeys(("members", "sync_backups", "async_backups"), ANY_NUMBER)

argument = Argument(specification, proved_in=(ANY_SIZE,), explored_in=WORLDS)
