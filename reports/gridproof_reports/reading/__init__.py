"""Reads stages, messages and steps from a trace, in words for people."""
