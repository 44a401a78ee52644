"""Reads stages, messages and steps from a trace, and puts them into words."""
