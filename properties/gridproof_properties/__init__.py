"""How we know: invariants, checkers, audits, machines, proofs."""
