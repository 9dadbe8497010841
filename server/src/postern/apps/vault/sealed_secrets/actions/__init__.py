"""Writes that concern all secrets: rotation of keys, moving to another store, removal of what is left behind."""
