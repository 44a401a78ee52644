"""Mutants of the members; there is one file for each theme."""

from suite.zoo.members import (
    anti_entropy,
    backups,
    calls,
    claims,
    exempted,
    jobs,
    membership,
    promotions,
    resources,
    routing,
    safety,
    states,
    tables,
    times,
)
from suite.zoo.mutant import MemberMutant

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    *routing.MEMBER_MUTANTS,
    *tables.MEMBER_MUTANTS,
    *promotions.MEMBER_MUTANTS,
    *backups.MEMBER_MUTANTS,
    *anti_entropy.MEMBER_MUTANTS,
    *resources.MEMBER_MUTANTS,
    *calls.MEMBER_MUTANTS,
    *membership.MEMBER_MUTANTS,
    *states.MEMBER_MUTANTS,
    *safety.MEMBER_MUTANTS,
    *claims.MEMBER_MUTANTS,
    *jobs.MEMBER_MUTANTS,
    *times.MEMBER_MUTANTS,
    *exempted.MEMBER_MUTANTS,
)
"""All mutants of members, by theme."""
