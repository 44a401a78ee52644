"""Pages: what a typed report looks like."""
