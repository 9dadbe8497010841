"""What the endpoints of every kind of permission have in common."""
