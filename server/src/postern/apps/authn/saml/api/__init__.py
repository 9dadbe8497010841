"""Providers as a resource, their test, and the pages of a visit."""
