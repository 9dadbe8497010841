"""Reads of accounts at external providers."""

from collections.abc import Collection, Mapping
from functools import cache
from uuid import UUID

from postern.apps.authn.external.models import ExternalAccount, Provider
from postern.foundation.database.prepared_keys import PreparedByKey


def bound_among(user_ids: Collection[UUID]) -> Mapping[UUID, frozenset[str]]:
    """The providers at which these users have a bound account, by user. Users without one are omitted. One query."""
    providers_by_user: dict[UUID, set[str]] = {}
    for account in _accounts_of().rows(user_ids):
        providers_by_user.setdefault(account.user_id, set()).add(account.provider)
    return {user_id: frozenset(providers) for user_id, providers in providers_by_user.items()}


@cache
def _accounts_of() -> PreparedByKey[ExternalAccount]:
    """Accounts by user. Prepared, because every page of users needs it."""
    return PreparedByKey(ExternalAccount, lambda ids: ExternalAccount.objects.filter(user_id__in=ids).order_by())


def subjects_of(provider: str, user_ids: Collection[UUID], *, tenant: str | None = None) -> Mapping[UUID, str]:
    """The subjects of the accounts that these users have bound at a provider. `tenant`: the company; None for all. One
    query.
    """
    rows = ExternalAccount.objects.filter(provider=provider, user_id__in=list(user_ids)).order_by()
    if tenant is not None:
        rows = rows.filter(tenant=tenant)
    return dict(rows.values_list("user_id", "subject"))


def account_of(provider: Provider, tenant: str, subject: str) -> ExternalAccount | None:
    """The bound account of this person at the provider, with its user."""
    rows = ExternalAccount.objects.select_related("user")
    return rows.filter(provider=provider, tenant=tenant, subject=subject).first()
