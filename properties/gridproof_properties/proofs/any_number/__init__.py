"""Proofs for any number of members: another translation to Z3, its questions, and sizes that show every violation."""
