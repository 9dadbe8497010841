"""Sign-in with a browser or for a token."""
