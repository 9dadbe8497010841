"""Begins and ends the calls of passkeys."""
