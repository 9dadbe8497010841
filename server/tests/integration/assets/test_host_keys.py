from typing import Any

import asyncssh
import pytest
from django.utils import translation
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets import facade
from postern.apps.assets.host_keys.errors import BadHostKey
from postern.apps.assets.models import Asset, HostKey
from postern.apps.audits.models import AuditEvent
from postern.contracts.access import HostKeyAnswer
from postern.contracts.enums import HostKeyVerdict
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db


def new_key(kind: str = "ssh-ed25519") -> Any:
    return asyncssh.generate_private_key(kind)


def show(asset: Asset, key: Any, *, host: str = "192.0.2.1", port: int = 22, via: str = "") -> HostKeyAnswer:
    line = key.export_public_key("openssh").decode()
    return facade.check_host_key(actor=SYSTEM, asset_id=asset.pk, host=host, port=port, via=via, public_key=line)


def test_k52_first_key_is_pinned_and_the_same_one_matches() -> None:
    asset, key = make_asset(), new_key()
    first = show(asset, key)
    assert (first.verdict, first.pinned_fingerprint) == (HostKeyVerdict.PINNED, key.get_fingerprint("sha256"))
    assert (AuditEvent.objects.get(event="host_key.pinned").new or {})["fingerprint"] == first.pinned_fingerprint
    assert show(asset, key).verdict is HostKeyVerdict.MATCH


@pytest.mark.parametrize("kind", ["ssh-ed25519", "ecdsa-sha2-nistp256"])
def test_k52_changed_key_is_refused_audited_and_never_replaces_the_pin(kind: str) -> None:
    asset, key, other = make_asset(), new_key(), new_key(kind)
    show(asset, key)
    for _ in range(2):
        answer = show(asset, other)
        assert answer.verdict is HostKeyVerdict.CHANGED
        assert answer.pinned_fingerprint == key.get_fingerprint("sha256")
        assert other.get_fingerprint("sha256") in answer.message
    assert AuditEvent.objects.filter(event="host_key.refused").count() == 2
    assert show(asset, key).verdict is HostKeyVerdict.MATCH
    row = HostKey.objects.get()
    assert row.fingerprint == key.get_fingerprint("sha256")
    assert row.refused_fingerprint == other.get_fingerprint("sha256")


def test_k52_each_asset_address_port_and_hop_has_its_own_pin() -> None:
    asset, twin = make_asset(), make_asset()
    places: list[tuple[Asset, dict[str, Any]]] = [
        (asset, {}), (asset, {"host": "192.0.2.2"}), (asset, {"port": 2222}), (asset, {"via": "gateway-1"}), (twin, {})
    ]  # fmt: skip
    keys = [new_key() for _ in places]
    for (pinned, place), key in zip(places, keys, strict=True):
        assert show(pinned, key, **place).verdict is HostKeyVerdict.PINNED
    for (pinned, place), key in zip(places, keys, strict=True):
        assert show(pinned, key, **place).verdict is HostKeyVerdict.MATCH
    # The key of a jump host is not accepted for the target.
    assert show(asset, keys[3]).verdict is HostKeyVerdict.CHANGED


@pytest.mark.parametrize(
    "line", ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAA", "x " * 20_000]
)
def test_malformed_host_key_is_refused_and_pins_nothing(line: str) -> None:
    asset = make_asset()
    with translation.override("en"), pytest.raises(BadHostKey, match="SSH, or WinRM over HTTPS"):
        facade.check_host_key(actor=SYSTEM, asset_id=asset.pk, host="h", port=22, via="", public_key=line)
    assert not HostKey.objects.exists()


def test_host_keys_are_listed_and_deleted_by_an_administrator(
    as_auditor: APIClient, as_org_admin: APIClient, as_user: APIClient
) -> None:
    asset, key, other = make_asset("web-1"), new_key(), new_key()
    show(asset, key)
    show(asset, other)
    url = "/api/v1/assets/host-keys/"
    [row] = as_auditor.get(f"{url}?asset={asset.pk}").json()
    assert (row["asset_display"], row["host"], row["port"], row["has_changed"]) == ("web-1", "192.0.2.1", 22, True)
    assert row["fingerprint"] == key.get_fingerprint("sha256")
    assert as_user.get(url).status_code == 403
    assert as_auditor.delete(f"{url}{row['id']}/").status_code == 403
    assert as_org_admin.delete(f"{url}{row['id']}/").status_code == 204
    assert AuditEvent.objects.filter(event="host_key.forgotten").exists()
    assert show(asset, other).verdict is HostKeyVerdict.PINNED
