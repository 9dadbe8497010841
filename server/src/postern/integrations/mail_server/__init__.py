"""Client of the mail server that the settings name (SMTP). Import `client` only where mail is sent."""
