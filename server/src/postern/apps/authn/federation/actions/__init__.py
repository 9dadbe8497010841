"""What writes of providers have in common."""
