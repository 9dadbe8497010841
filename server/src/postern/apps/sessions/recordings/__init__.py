"""Recordings: taken in part by part, stored, read, and forgotten with their sessions."""
