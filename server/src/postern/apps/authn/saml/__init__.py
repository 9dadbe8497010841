"""Providers of SAML 2.0: rows, visits, the test of a form, signing out on both sides."""
