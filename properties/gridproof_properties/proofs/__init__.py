"""Proofs of the claims of specifications, by the solver Z3."""
