"""Sign-in through a proxy."""
