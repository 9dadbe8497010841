"""Users: the list, the form, and what administrators do to accounts."""
