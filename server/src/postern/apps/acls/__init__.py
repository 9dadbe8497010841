"""Access control: command filters."""
