"""Writes of the users app: one function for each verb, each atomic and audited."""

from postern.apps.users.people.actions.first_admin import FirstAdmin, ensure_first_admin

__all__ = ["FirstAdmin", "ensure_first_admin"]
