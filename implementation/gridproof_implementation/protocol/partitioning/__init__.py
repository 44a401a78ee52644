"""Partitioning: the table, migrations, promotions, shutdown."""
