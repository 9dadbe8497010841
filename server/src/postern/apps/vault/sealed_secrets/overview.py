"""Where the secrets of this installation lie."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count

from postern.apps.vault.sealed_secrets import providers
from postern.apps.vault.sealed_secrets.models import SealedSecret, UnusedPath
from postern.apps.vault.sealed_secrets.stored import NO_LOCAL_KEY
from postern.foundation.configuration.secret_store import SecretStore


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOverview:
    """`counts`: secrets in each store; `movable_elsewhere`: those that `move` would move to the store of new secrets."""

    for_new: SecretStore
    counts: Mapping[SecretStore, int]
    movable_elsewhere: int
    local_copies: int
    unused_paths: int


def store_overview() -> StoreOverview:
    """Counts from the database; asks no other store."""
    for_new: SecretStore = settings.POSTERN.secret_store
    rows = SealedSecret.objects.all()
    counts = {SecretStore(name): number for name, number in rows.values_list("provider").annotate(number=Count("pk"))}
    elsewhere = rows.filter(table__startswith=providers.movable_tables()).exclude(provider=for_new)
    copies = rows.exclude(provider=SecretStore.LOCAL).filter(kek_version__gt=NO_LOCAL_KEY)
    return StoreOverview(
        for_new=for_new,
        counts=counts,
        movable_elsewhere=elsewhere.count(),
        local_copies=copies.count(),
        unused_paths=UnusedPath.objects.count(),
    )
