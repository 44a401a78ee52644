"""Protocols of others in our language, held against the originals, and the page about them."""
