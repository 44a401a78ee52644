"""Operations on the member that is asked: checks, execution, sending of backups."""
