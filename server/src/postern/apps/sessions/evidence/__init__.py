"""Evidence: what was recorded of sessions, verified against the audit log."""
