"""Sign-in by a provider that vouches for its own people: what OpenID Connect and further protocols have in common.

A protocol finds out who came and what is claimed about them. Here it becomes a user: known, prepared, new or refused.
"""
