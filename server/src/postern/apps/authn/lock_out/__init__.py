"""Counting failed sign-ins, and locking names and addresses."""
