"""Sign-in with OpenID Connect: providers, visits, and signing out on both sides."""
