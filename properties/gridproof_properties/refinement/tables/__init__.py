"""Runs, validated by what each member knows of tables."""
