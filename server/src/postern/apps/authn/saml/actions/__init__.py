"""Writes of SAML providers."""
