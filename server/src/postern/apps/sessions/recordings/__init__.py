"""Recordings: uploaded in parts, stored, read, and deleted with their sessions."""
