"""What an organization has now, what a file asks for, and how they differ."""
