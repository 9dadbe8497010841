"""Client of the mail server that the settings name (SMTP)."""
