"""The documents' findings, played on running members."""
