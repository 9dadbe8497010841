"""Commands that a person has saved to use them again."""
