"""The API of what somebody may reach."""
