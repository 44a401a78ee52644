"""Ownership, followed migration by migration."""
