"""Where results go: terminal, folders and files."""
