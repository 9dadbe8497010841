"""Ids, clock, errors, secrets and logging. Uses the standard library only and can be imported from every plane."""
