"""User accounts: the table, the rules for changes, and the locks of writes."""
