"""The caller of a request and the organization that it acts in."""
