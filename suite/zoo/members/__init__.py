"""Mutants of the members themselves, one theme a file."""

from suite.zoo.member_mutant import MemberMutant
from suite.zoo.members import (
    anti_entropy,
    arrangement,
    backups,
    calls,
    claims,
    exempted,
    incarnations,
    jobs,
    leavers,
    membership,
    merges,
    migrations,
    promotions,
    resources,
    routing,
    safety,
    states,
    tables,
    times,
)

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    *routing.MEMBER_MUTANTS,
    *arrangement.MEMBER_MUTANTS,
    *tables.MEMBER_MUTANTS,
    *migrations.MEMBER_MUTANTS,
    *promotions.MEMBER_MUTANTS,
    *backups.MEMBER_MUTANTS,
    *anti_entropy.MEMBER_MUTANTS,
    *resources.MEMBER_MUTANTS,
    *calls.MEMBER_MUTANTS,
    *membership.MEMBER_MUTANTS,
    *incarnations.MEMBER_MUTANTS,
    *states.MEMBER_MUTANTS,
    *leavers.MEMBER_MUTANTS,
    *safety.MEMBER_MUTANTS,
    *claims.MEMBER_MUTANTS,
    *merges.MEMBER_MUTANTS,
    *jobs.MEMBER_MUTANTS,
    *times.MEMBER_MUTANTS,
    *exempted.MEMBER_MUTANTS,
)
"""All of them, by what they are about."""
