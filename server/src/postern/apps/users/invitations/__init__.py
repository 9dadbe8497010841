"""Invitations into an organization, and who consents."""
