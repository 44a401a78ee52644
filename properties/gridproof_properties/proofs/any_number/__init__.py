"""Proofs for any number of members: the second translation, its questions, and the sizes that show every violation."""
