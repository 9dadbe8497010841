"""Pages that lead to a provider and back, and the calls that use what came back."""
