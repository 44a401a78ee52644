"""Models with which papers are recomputed; they are independent of any single paper."""
