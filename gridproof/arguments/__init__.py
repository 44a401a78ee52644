"""Turns the words that a user typed into options, configurations, runs and specifications."""
