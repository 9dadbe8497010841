"""Passkeys: WebAuthn credentials, their registration and their assertions."""
