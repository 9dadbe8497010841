"""The audit log as syslog: every event of all organizations goes to the receiver of the settings."""
