"""Signed HTTP requests to endpoints of others (standardwebhooks.com)."""
