"""Who belongs to which organization."""
