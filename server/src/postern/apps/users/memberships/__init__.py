"""Memberships of users in organizations."""
