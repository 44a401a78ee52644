"""Drawings of lines, bars, runs and graphs, as SVG or made with matplotlib."""
