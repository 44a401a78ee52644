"""Stories: the findings about documents, played on running members."""
