"""How properties are checked: invariants, checkers, audits, machines, proofs."""
