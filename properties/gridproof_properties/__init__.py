"""How properties are checked: by invariants, checkers, audits, state machines and proofs."""
