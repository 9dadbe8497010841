"""The page that leads to the provider, and the call that uses what came back."""
