"""Sign-in with a provider that authenticates people: the common part of OpenID Connect and other protocols.

A protocol gets the identity of a person and claims about them. This package maps them to a user: known, prepared, new
or refused.
"""
