"""Proofs for any number of members: a second translation to Z3, its questions, and the sizes that suffice to show every
violation."""
