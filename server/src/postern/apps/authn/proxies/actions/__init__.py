"""Writes of sign-ins through proxies."""
