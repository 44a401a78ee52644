"""Lines, bars, pictures of runs and graphs, as SVG or by matplotlib."""
