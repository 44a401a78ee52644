"""Options of `gridproof prove`: the search for lemmas, and the refinement of one specification by another."""
