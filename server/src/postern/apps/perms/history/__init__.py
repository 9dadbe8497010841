"""What was granted on a day in the past, from rows that the database itself writes with each change."""
