"""Operations on the target: checks, execution, backups sent."""
