"""What we show: Spark jobs, figures, pages."""
