"""Who may use the resources of this app."""

from postern.foundation.rest.rights import Right

#: Their bulk and partial forms follow them.
ADMIN_ONLY = dict.fromkeys(("list", "retrieve", "create", "update", "destroy"), Right.ORG_ADMIN)
