"""Options of `gridproof prove`: for the search for lemmas, and for the refinement of one specification by another."""
