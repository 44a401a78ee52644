"""Renders reports as HTML pages."""
