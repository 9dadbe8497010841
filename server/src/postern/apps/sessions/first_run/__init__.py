"""Checklist from an empty organization to the first connection."""
