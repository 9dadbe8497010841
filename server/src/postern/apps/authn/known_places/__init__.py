"""Browsers and addresses from which users have signed in."""
