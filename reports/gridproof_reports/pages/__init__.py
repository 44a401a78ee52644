"""Renders reports as pages."""
