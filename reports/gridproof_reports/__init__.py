"""Everything that is shown to people, and the Spark jobs behind it: figures, pages, campaigns."""
