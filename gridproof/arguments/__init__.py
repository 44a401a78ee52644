"""From the words that a user typed to what is asked for."""
