"""Invitations into an organization."""
