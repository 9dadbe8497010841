"""Certificates of users' SSH keys: which authorities are trusted, and whether a certificate lets somebody in."""
