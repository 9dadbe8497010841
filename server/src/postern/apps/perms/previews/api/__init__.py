"""`perms/preview/`."""
