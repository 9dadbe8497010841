"""The account of a person: its row, who may change it, and how a write locks it."""
