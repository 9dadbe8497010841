"""OpenID Connect: a provider's metadata, its keys, its tokens, and who signed in there."""
