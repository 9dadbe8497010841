"""The common part of writes of providers. Only super administrators make them, because a rule can give any role."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.authn.federation.errors import ProviderRefused
from postern.apps.authn.federation.models import FederatedProvider
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import NotAllowed

P = TypeVar("P", bound=FederatedProvider)

#: Maximum number of providers, because each has a button on the sign-in page.
MOST_PROVIDERS: Final = 20


def recorded(*own: str, after: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns of an audit record: the common ones around the `own` of a protocol. `after`: behind the claims."""
    head = ("name", "slug", "order", "is_active")
    people = ("username_claim", "name_claim", "email_claim", "rules", "creates_users", "adopts_users")
    return (*head, *own, *people, *after, "comment")


def require_new(actor: Actor, model: type[FederatedProvider]) -> None:
    """Require that the actor may add a provider. Raises NotAllowed, ProviderRefused."""
    require_super(actor)
    if QuerySet(model).count() >= MOST_PROVIDERS:
        raise ProviderRefused("name", _("There can be at most %(number)d providers.") % {"number": MOST_PROVIDERS})


def locked_provider(actor: Actor, row: P) -> P:
    """The stored row, locked for a change. Raises NotAllowed."""
    require_super(actor)
    return QuerySet(type(row)).select_for_update(no_key=True).get(pk=row.pk)


def require_super(actor: Actor) -> None:
    """Check in addition to the right of the view, because the rules of a provider decide who becomes an administrator."""
    if not actor.is_super_user:
        raise NotAllowed(_("Only super administrators change providers."))


def values_of(row: FederatedProvider, names: Sequence[str]) -> dict[str, Any]:
    """The columns of a row for an audit record."""
    return {name: getattr(row, name) for name in names}
