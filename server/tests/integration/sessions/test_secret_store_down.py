"""Sessions while HashiCorp Vault cannot be used: those that need a secret are refused with the reason."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import settings

from factories.grants import grant, make_asset, make_domain, make_gateway, make_system_user
from factories.proxy_client import Proxy, World
from factories.secret_stores import secrets_in, vault_settings
from peers.vault_server import Vault, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Session
from postern.contracts.enums import DenialCode
from postern.foundation.configuration.secret_store import SecretStore


@pytest.fixture
def vault(world: World) -> Iterator[Vault]:
    """A Vault that new secrets go to. The secrets of `world` were stored before."""
    served = Vault()
    with serving(served) as address, secrets_in(SecretStore.VAULT_KV2, vault_settings(address)):
        yield served


@pytest.fixture
def opening(vault: Vault, proxy: Proxy, world: World) -> Session:
    """A session to an asset behind a gateway. The secrets of account and gateway lie in Vault."""
    asset = make_asset("db-1", ip="127.0.0.1")
    system_user = make_system_user("in vault", username="root", password="the secret of db-1")
    grant("to db-1", users=[world.user], assets=[asset], system_users=[system_user])
    make_gateway("gate-1", make_domain("branch", assets=[asset]), ip="127.0.0.2", port=2200)
    answer = proxy.authorize(world.user, "db-1")
    assert answer.grant is not None, answer
    return Session.objects.get(pk=answer.grant.session_id)


def test_secret_in_vault_is_released_as_any_other(vault: Vault, proxy: Proxy, opening: Session) -> None:
    answer = proxy.credential(opening.pk)
    assert answer.credential is not None
    assert answer.credential.password == "the secret of db-1"
    assert "the secret of db-1" in vault.values()


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "failing"])
def test_session_is_refused_with_the_reason_and_can_be_opened_later(
    vault: Vault, proxy: Proxy, opening: Session, *, sealed: bool
) -> None:
    vault.sealed, vault.refusals = sealed, [] if sealed else [500] * 1000
    with secrets_in(SecretStore.VAULT_KV2, replace(settings.POSTERN.vault, timeout_s=1)):
        answer = proxy.credential(opening.pk)
    assert answer.credential is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.SECRET_STORE_UNAVAILABLE
    assert answer.denial.message
    refused = AuditEvent.objects.get(event="credential.refused")
    assert refused.new["code"] == "secret_store_unavailable"
    assert opening.date_credential_released is None


def test_session_without_a_secret_in_vault_is_opened_while_vault_is_down(
    vault: Vault, proxy: Proxy, opened: Session
) -> None:
    vault.sealed = True
    answer = proxy.credential(opened.pk)
    assert answer.credential is not None
    assert answer.credential.password == "the secret of web-1"
