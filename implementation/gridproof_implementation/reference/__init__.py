"""The reference as a grid: simulated members."""
