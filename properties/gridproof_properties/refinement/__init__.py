"""Refinement: simulated runs as behaviours of the specifications."""
