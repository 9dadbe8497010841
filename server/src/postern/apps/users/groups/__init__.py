"""Groups of users within an organization."""
