"""Assets that a user or a group may reach."""
