"""Credentials of users: passwords, public keys, and links to set a password."""
