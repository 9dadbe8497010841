"""Sign-in with external providers: bound accounts, visits, binding, sign-in."""
