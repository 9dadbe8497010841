"""Making SSO links, and signing in with them."""
