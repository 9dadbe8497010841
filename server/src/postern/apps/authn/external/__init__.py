"""Sign-in by external providers: bound accounts, requests under way, binding, signing in."""
