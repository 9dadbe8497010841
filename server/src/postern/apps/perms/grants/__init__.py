"""The rows of permissions, and what they name."""
