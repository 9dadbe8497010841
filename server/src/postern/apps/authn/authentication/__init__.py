"""Authentication of requests."""
