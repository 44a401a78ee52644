"""What a build wants of a command: its exit status, and files that servers read."""
