"""Driving a system and recording what it shows."""
