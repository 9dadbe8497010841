"""News that leave Postern for other systems: webhooks, and the audit log as syslog."""
