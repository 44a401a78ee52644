"""Where results are written: to the terminal, to folders and to files."""
