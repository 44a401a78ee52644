"""Turns the words of a command line into options, configurations, runs and specifications."""
