"""Who calls, and in which organization."""
