"""Everything that is shown to people - figures, pages and campaigns - and the Spark jobs that compute it."""
