"""Models by which papers are recomputed; no model depends on a particular paper."""
