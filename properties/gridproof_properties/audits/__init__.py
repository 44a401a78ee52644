"""Driving a system through its port, and recording what it shows."""
