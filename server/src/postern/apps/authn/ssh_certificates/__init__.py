"""Certificates of users' SSH keys: trusted authorities, and checks of certificates."""
