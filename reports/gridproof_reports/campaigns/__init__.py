"""Campaigns: simulated runs for a grid of parameters, each with many seeds."""
