"""The simulator: one seed is the whole world."""
