"""Sign-in with OpenID Connect: the providers, the visit, signing out on both sides."""
