"""Access keys of service accounts, which administrators make."""
