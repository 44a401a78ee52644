"""The reference as a grid: simulated members, or tables alone."""
