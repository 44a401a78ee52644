"""The reference as a grid of simulated members."""
