"""Permissions: the list, the form, and their writes."""
