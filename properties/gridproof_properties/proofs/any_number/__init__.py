"""Proofs for any number of members: a second translation to Z3, its questions, and sizes that show every violation."""
