"""What somebody may reach."""
