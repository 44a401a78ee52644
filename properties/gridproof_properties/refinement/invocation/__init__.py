"""Invocation, followed call by call."""
