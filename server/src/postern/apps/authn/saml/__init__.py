"""Providers of SAML 2.0: rows, visits, tests of settings, signing out on both sides."""
