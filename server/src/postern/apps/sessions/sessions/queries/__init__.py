"""Reads of sessions."""
