"""Sign-in: the first factor, the second factor, and what a browser receives."""
