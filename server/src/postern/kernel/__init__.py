"""Ids, clock, errors, secrets and logging: standard library only, importable from every plane."""
