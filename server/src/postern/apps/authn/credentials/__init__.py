"""Credentials of API calls: browser sign-ins, bearer tokens, access keys."""
