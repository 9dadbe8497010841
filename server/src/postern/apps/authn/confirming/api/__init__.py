"""The page that redirects to the provider, and the call that uses its result."""
