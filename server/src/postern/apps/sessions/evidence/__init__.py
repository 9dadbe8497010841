"""Evidence: the records of sessions, verified against the audit log."""
