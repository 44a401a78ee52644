"""Mutants of the members themselves, one theme a file."""

from gridproof_properties.zoo.members import (
    anti_entropy,
    arrangement,
    backups,
    calls,
    exempted,
    incarnations,
    jobs,
    membership,
    migrations,
    promotions,
    resources,
    routing,
    states,
    tables,
)
from gridproof_properties.zoo.specimen import Specimen

SPECIMENS: tuple[Specimen, ...] = (
    *routing.SPECIMENS,
    *arrangement.SPECIMENS,
    *tables.SPECIMENS,
    *migrations.SPECIMENS,
    *promotions.SPECIMENS,
    *backups.SPECIMENS,
    *anti_entropy.SPECIMENS,
    *resources.SPECIMENS,
    *calls.SPECIMENS,
    *membership.SPECIMENS,
    *incarnations.SPECIMENS,
    *states.SPECIMENS,
    *jobs.SPECIMENS,
    *exempted.SPECIMENS,
)
"""All of them, by what they are about."""
