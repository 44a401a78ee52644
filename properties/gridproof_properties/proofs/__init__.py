"""Proofs of claims, with Z3."""
